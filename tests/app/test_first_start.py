"""At the first start, the starter pair answers a question that is typed at once."""

from __future__ import annotations

import pytest

from tests.app.first_start import measure


@pytest.mark.campaign
def test_the_first_question_is_answered_within_a_minute() -> None:
    """The limits are generous for a busy machine; `python -m tests.app.first_start` prints the seconds."""
    found = measure()
    assert "Tandem" in str(found["text"])
    assert float(str(found["window"])) < 20
    assert float(str(found["answer"])) < 60
