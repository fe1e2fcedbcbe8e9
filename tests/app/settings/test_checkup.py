"""What a check of this computer leaves out of the report that people publish."""

from __future__ import annotations

import json

import pytest

from app.settings.checkup import report


@pytest.mark.parametrize(("place", "published"), [("here", "here"), ("me@studio", "elsewhere")])
def test_the_name_of_another_computer_is_not_published(place: str, published: str) -> None:
    found = json.loads(report({"models": None, "speculation": {"draft_ahead": place}}))
    assert found["speculation"] == {"draft_ahead": published}
