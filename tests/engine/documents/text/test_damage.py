"""What is passed over in a broken file, and what is not."""

from __future__ import annotations

import pytest

from engine.documents.text.damage import passing_over_damage
from engine.documents.text.damaged_parts import Encrypted, skipping_damage
from engine.documents.text.marked_text import MarkedText, TextTooLong


@pytest.mark.parametrize("error", [ValueError(), AssertionError(), RecursionError(), Encrypted(), TextTooLong()])
def test_what_a_parser_raises_is_passed_over(error: Exception) -> None:
    with passing_over_damage():
        raise error


def test_a_sandbox_that_has_no_memory_left_is_told() -> None:
    for guard in (passing_over_damage(), skipping_damage(MarkedText(10))):
        with pytest.raises(MemoryError), guard:
            raise MemoryError
