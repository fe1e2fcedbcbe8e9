"""What an answer says of drafting ahead."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.cli.answers import ahead_summary
from app.wording.ahead import WHY_NOT, WHY_NOT_THERE, ahead_sentence, place_words
from app.wording.cluster import CLUSTER_REASONS
from engine.stats import RequestStats

USED = RequestStats(ahead="ready", ahead_hits=34, ahead_misses=12, ahead_late=6, ahead_used=30, ahead_hidden_s=0.31)


def test_it_says_in_how_many_rounds_the_draft_was_ready_and_what_that_hid() -> None:
    sentence = "In 34 of 52 rounds the draft was ready, which hid 310 ms of drafting."
    assert ahead_sentence(USED) == sentence
    assert ahead_summary(USED) == "34 of 52 drafts made ahead (310 ms hidden)"


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0004, "0 ms"), (0.9994, "999 ms"), (0.9996, "1.0 s"), (9.94, "9.9 s"), (12.31, "12 s")]
)
def test_what_it_hid_is_said_in_seconds_from_one_on(seconds: float, shown: str) -> None:
    stats = replace(USED, ahead_hidden_s=seconds)
    assert ahead_sentence(stats).endswith(f"hid {shown} of drafting.")
    assert ahead_summary(stats).endswith(f"({shown} hidden)")


@pytest.mark.parametrize("reason", WHY_NOT)
def test_every_reason_has_a_sentence_after_the_figures_if_there_are_any(reason: str) -> None:
    stats = RequestStats(ahead=reason)
    sentence = ahead_sentence(stats)
    assert sentence.endswith(".")
    assert reason in ahead_summary(stats)
    used = RequestStats(ahead=reason, ahead_hits=3, ahead_used=2, ahead_hidden_s=0.01)
    assert ahead_sentence(used).endswith(f"10 ms of drafting. {sentence}")


def test_a_runner_that_rests_is_not_called_ready_and_says_why() -> None:
    slower = RequestStats(ahead="resting-slower")
    assert ahead_sentence(slower) == WHY_NOT["resting-slower"]
    assert "faster without it" in ahead_sentence(slower)
    unused = replace(USED, ahead="resting-unused")
    assert ahead_sentence(unused) == f"{ahead_sentence(USED)} {WHY_NOT['resting-unused']}"
    assert ahead_summary(unused) == "34 of 52 drafts made ahead (310 ms hidden), resting-unused"
    assert ahead_summary(replace(USED, ahead="ended")) == ahead_summary(USED)


def test_what_was_tried_without_use_is_said() -> None:
    assert "would not have made" in ahead_sentence(RequestStats(ahead="ready", ahead_misses=4, ahead_late=1))


@pytest.mark.parametrize("state", ["", "ready"])
def test_it_says_nothing_if_it_is_off_or_was_not_needed(state: str) -> None:
    assert ahead_sentence(RequestStats(ahead=state)) == ahead_summary(RequestStats(ahead=state)) == ""


@pytest.mark.parametrize("reason", [*WHY_NOT_THERE, *CLUSTER_REASONS])
def test_of_another_computer_it_says_which_one_and_what_was_found_there(reason: str) -> None:
    stats = RequestStats(ahead=reason, ahead_host="studio", ahead_detail="mlx 0, not 1")
    sentence = ahead_sentence(stats)
    assert "studio" in sentence
    assert "{" not in sentence
    assert ahead_summary(stats) == f"nothing drafted ahead ({reason}, studio, mlx 0, not 1)"


def test_a_place_is_called_by_the_words_of_the_setting_or_by_the_name_of_a_computer() -> None:
    assert [place_words(place) for place in ("off", "here", "studio")] == [
        "Off",
        "On this Mac's processor",
        "On studio",
    ]
