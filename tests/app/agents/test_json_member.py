"""Adding members to JSON that people edit: they are there, and everything else is as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agents.connecting import members_of, with_members

VALUE = {"models": {"url": "http://127.0.0.1:8642/v1"}}
ADDED = json.dumps(VALUE, indent=2) + "\n"
NAMES = st.sampled_from(["a", "b", "//", '"', "\\", "/*", "ü,}"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(NAMES, JSON, max_size=3), st.sampled_from([None, 1, "\t"]))
def test_the_members_are_added_and_no_other_is_changed(before: dict[str, Any], indent: Any) -> None:
    assert json.loads(with_members(json.dumps(before, indent=indent), ADDED)) == VALUE | before


COMMENTED = '/* { */ {"b": "// no", /* "c": 1, */ "d": [1, ],\n}'


@pytest.mark.parametrize("text", ["", "\n", "// nothing\n", "{}", "{\n}\n", "{ // mine\n}", COMMENTED])
def test_comments_and_last_commas_stay(text: str) -> None:
    after = with_members(text, ADDED)
    assert after.replace(members_of(ADDED), "").replace("{,", "{") == (text if "{" in text else text + "{\n}\n")
    # A second time, they are in the way of themselves.
    with pytest.raises(ValueError, match="no place"):
        with_members(after, ADDED)


@pytest.mark.parametrize("text", ['{"a" 1}', "[]", "{", "{" * 40 + "}" * 40, '{"a": 1} x', "/*", '{"models": 1}'])
def test_what_cannot_be_understood_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no place|not JSON|cut off|deep"):
        with_members(text, ADDED)
