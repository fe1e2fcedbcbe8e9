"""What one schema allows after its parts are joined."""

from __future__ import annotations

from engine.call_forms.schema import Schema


def test_a_part_that_allows_nothing_leaves_no_type_of_the_others() -> None:
    text = {"type": "string"}
    assert [one.kind for one in Schema({"allOf": [text]}).alternatives] == ["string"]
    assert [one.kind for one in Schema({"allOf": [text, False]}).alternatives] == [""]
    assert [one.kind for one in Schema({"allOf": [False, text]}).alternatives] == [""]
