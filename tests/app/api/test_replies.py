"""Server-sent events of which only a part is encoded for each token."""

from __future__ import annotations

import pytest

from app.api.replies import HOLE, EventForm, sse


@pytest.mark.parametrize("text", ["", "a", '"', "\\", "\n", "초안", "\u2028", "😀", "data: x\n\n"])
def test_a_filled_form_is_the_whole_event(text: str) -> None:
    form = EventForm({"number": HOLE, "model": '"m"', "delta": {"content": HOLE}, "last": None}, "delta")
    for number in (1, 2):
        whole = {"number": number, "model": '"m"', "delta": {"content": text}, "last": None}
        assert form.filled(number, text) == sse(whole, "delta")
