"""JSON that was cut off is distinguished from complete JSON and from other text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.text.begun_json import is_begun_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=25)
@given(value=st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=4), values, max_size=3), data=st.data())
def test_every_beginning_is_known_and_the_whole_is_none(value: object, data: st.DataObject) -> None:
    whole = json.dumps(value, indent=data.draw(st.sampled_from([None, 2])))
    assert is_begun_json(whole[: data.draw(st.integers(1, len(whole) - 1))])
    assert not is_begun_json(whole)


@pytest.mark.parametrize(
    "text", ["", "42", "[a link](https://example.org)", "{name} is a field", "Well, {", '{"a": 1} and']
)
def test_other_text_is_none(text: str) -> None:
    assert not is_begun_json(text)
