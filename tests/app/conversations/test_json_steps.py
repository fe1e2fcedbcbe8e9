"""JSON read in steps equals what the standard library reads, and is read one chat at a time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.conversations.imports import json_steps


def read_in_steps(text: str) -> Any:
    value = json_steps.parse(text, lambda: None)
    return list(value) if isinstance(value, json_steps.StreamedItems) else value


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=40)
@given(value=JSON_VALUES, indent=st.sampled_from([None, 1]))
def test_json_read_in_steps_is_what_it_is_in_one_go(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert read_in_steps(text) == json.loads(text)


@given(text=st.text(alphabet='[]{},: "01atrue\\', max_size=12))
def test_what_is_no_json_is_none_in_steps_either(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011
            json_steps.parse(text, lambda: None)
    else:
        assert read_in_steps(text) == expected


def test_json_is_read_one_chat_a_step() -> None:
    for text in ('[{"a": [1, 2]}, 2, 3]', '{"version": 1, "conversations": [1, [2], {}], "other": {"x": [1, 2]}}'):
        steps: list[None] = []
        json_steps.parse(text, lambda steps=steps: steps.append(None))  # type: ignore[misc]
        assert len(steps) == 3
