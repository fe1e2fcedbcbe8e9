"""Errors of the engine keep no frames alive, and name what was expected."""

from __future__ import annotations

import pytest

from engine.errors import BadRequest, InternalFailure, require, without_frames


def test_an_error_without_frames_keeps_no_locals_alive() -> None:
    def fail() -> None:
        try:
            raise KeyError("inner")
        except KeyError as cause:
            raise InternalFailure("outer") from cause

    with pytest.raises(InternalFailure) as caught:
        fail()
    without_frames(caught.value)
    assert caught.value.__traceback__ is None
    assert caught.value.__cause__ is not None
    assert caught.value.__cause__.__traceback__ is None


def test_a_requirement_that_is_not_met_names_what_was_expected() -> None:
    require(True, "top_k", "0 or more", 0)
    with pytest.raises(BadRequest, match="top_k must be 0 or more, not -1"):
        require(False, "top_k", "0 or more", -1)
