"""Setting a value in JSON that people edit: the value is there, and everything else is as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agents.json_member import NotEditable, with_member

VALUE = {"url": "http://127.0.0.1:8642/v1", "models": [{"name": "tandem"}]}
NAMES = st.sampled_from(["a", "b", "//", '"', "\\", "/*", "ü,}"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)


@given(
    st.dictionaries(NAMES, JSON, max_size=3), st.lists(NAMES, min_size=1, max_size=3), st.sampled_from([None, 1, "\t"])
)
def test_the_value_is_set_and_no_other_is_changed(before: dict[str, Any], path: list[str], indent: Any) -> None:
    inner: Any = before
    for key in path[:-1]:
        inner = inner.get(key, {})
        if not isinstance(inner, dict):
            with pytest.raises(NotEditable):
                with_member(json.dumps(before, indent=indent), path, VALUE)
            return
    after = json.loads(with_member(json.dumps(before, indent=indent), path, VALUE))
    inner = before
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = VALUE
    assert after == before


COMMENTED = '\ufeff// "a": {\r\n{\r\n\t"b": "// no comment", /* "c": 1, */\r\n\t"c": [1, 2, ], // last\r\n}\r\n'


def test_comments_last_commas_and_the_ends_of_lines_stay() -> None:
    after = with_member(COMMENTED, ("a", "x"), 1)
    added = '\r\n\t"a": {\r\n\t\t"x": 1\r\n\t},'
    assert after == COMMENTED.replace("{\r\n\t", f"{{{added}\r\n\t", 1)
    # A second time, the value is replaced in its place.
    assert with_member(after, ("a", "x"), 2) == after.replace('"x": 1', '"x": 2')


@pytest.mark.parametrize("text", ["", "\n", "// nothing\n", "{}", "{\n}\n", "{ // mine\n}"])
def test_an_empty_file_gets_the_value(text: str) -> None:
    after = with_member(text, ("a",), 1)
    assert '"a": 1' in after
    assert with_member(after, ("a",), 1) == after


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n"a" 1}', "line 2"), ("[]", "it is not an object"), ('{"a": [1]}', "a is not an object"),
        ("{", "cut off"), ("{" * 40 + "}" * 40, "deep"), ('{"a": 1} x', "line 1"), ("/*", "cut off"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_with_the_place(text: str, where: str) -> None:
    with pytest.raises(NotEditable, match=where):
        with_member(text, ("a", "b"), 1)
