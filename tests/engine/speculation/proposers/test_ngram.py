from __future__ import annotations

import pytest

from engine.speculation.proposers.ngram import LEAST_DEPTH, MIN_COPIED, MISSES_TO_PAUSE, TOKENS_PER_MATCH, NgramProposer

CODE = list(range(100, 140))


def proposer_after(
    tokens: list[int], *, excluded: frozenset[int] = frozenset(), adaptive: bool = False
) -> NgramProposer:
    proposer = NgramProposer(8, excluded, adaptive=adaptive)
    proposer.reset(tokens)
    return proposer


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ([*CODE, 1, 2, *CODE[:5]], CODE[5:13]),
        (CODE, []),
        # The longest match wins over a later, shorter one.
        ([1, 2, 3, 4, 5, 6, 7, 8, 50, 51, 0, 6, 7, 8, 60, 61, 0, 1, 2, 3, 4, 5, 6, 7, 8], [50, 51, 0, 6, 7, 8, 60, 61]),
        # The occurrences disagree after 4.
        ([1, 2, 3, 4, 50, 0, 1, 2, 3, 4, 60, 0, 9, 1, 2, 3], [4]),
        # Matches of half the longest one's length do not vote against it.
        (
            [1, 2, 3, 4, 5, 6, 50, 51, 4, 5, 6, 60, 0, 4, 5, 6, 61, 9, 4, 5, 6, 62, 7, 1, 2, 3, 4, 5, 6],
            [50, 51, 4, 5, 6, 60, 0, 4],
        ),
        # Tokens of the template are neither matched nor proposed.
        ([1, 99, 2, 3, 4, 99, 5, 1, 99, 2], []),
        ([1, 2, 3, 4, 99, 5, 1, 2, 3], [4]),
    ],
)
def test_it_offers_what_followed_last_time(text: list[int], proposed: list[int]) -> None:
    proposer = proposer_after(text, excluded=frozenset({99}))
    assert proposer.max_proposals() == len(proposed)
    assert proposer.propose(8).tokens == proposed
    assert proposer.propose(1).tokens == proposed[:1]
    assert proposer.reason == "no-match"


def repeatedly_wrong(proposer: NgramProposer) -> None:
    for miss in range(1, MISSES_TO_PAUSE + 1):
        assert proposer.max_proposals() > 0
        proposer.committed([1000 + miss, *CODE[6 * miss : 6 * miss + 4]], accepted=0, drafted=2)


@pytest.mark.first
def test_it_pauses_after_misses() -> None:
    proposer = proposer_after([*CODE, *CODE[:4]])
    repeatedly_wrong(proposer)
    assert proposer.max_proposals() == 0


def test_it_resumes_as_soon_as_a_shadow_proposal_is_accepted() -> None:
    proposer = proposer_after([*CODE, *CODE[:4]])
    repeatedly_wrong(proposer)
    proposer.committed([CODE[6 * MISSES_TO_PAUSE + 4]], accepted=0, drafted=0)
    assert proposer.max_proposals() > 0


def test_it_drafts_nothing_before_a_shadow_proposal_was_right_and_little_after_a_short_match() -> None:
    proposer = proposer_after([*CODE, 1, *CODE[:3]], adaptive=True)
    assert proposer.max_proposals() == 0
    proposer.committed([CODE[3]], accepted=0, drafted=0)
    assert proposer.max_proposals() == 8
    proposer.committed([CODE[4], 7, *CODE[10:13]], accepted=1, drafted=2)
    assert proposer.max_proposals() == max(LEAST_DEPTH, TOKENS_PER_MATCH * 3)


def test_its_own_verified_proposals_are_not_reported_twice() -> None:
    proposer = proposer_after([*CODE, 1, *CODE[:4]])
    proposer.committed(CODE[4:8], accepted=3, drafted=3)
    assert proposer.observations() == []


def test_an_edited_conversation_is_looked_up_as_it_is_now() -> None:
    proposer = proposer_after([*CODE, 1, *CODE[:4]])
    proposer.reset([*CODE[:4], 7, 8, 9, *CODE[:4]])
    assert proposer.propose(2).tokens == [7, 8]


def copied_and_changed(*change: int) -> NgramProposer:
    """Return a proposer after ten copied tokens of CODE and then `change`, which it did not propose."""
    proposer = proposer_after([*CODE, 1, *CODE[:6]])
    assert proposer.propose(8).tokens == CODE[6:14]
    first, *others = change
    proposer.committed([*CODE[6:10], first], accepted=4, drafted=8)
    for token in others:
        proposer.max_proposals()
        proposer.committed([token], accepted=0, drafted=0)
    return proposer


@pytest.mark.parametrize(
    ("change", "at"), [((7,), 11), ((7, 8, CODE[10]), 11), ((CODE[13],), 14)], ids=["replaced", "put in", "left out"]
)
def test_after_an_edit_a_copy_goes_on(change: tuple[int, ...], at: int) -> None:
    assert copied_and_changed(*change).propose(4).tokens == CODE[at : at + 4]


@pytest.mark.parametrize("rejoined", [1, 2, 3])
def test_behind_an_edit_a_copy_is_followed_by_its_place(rejoined: int) -> None:
    """Before three tokens match again an index does not find it; then its match is short."""
    proposer = NgramProposer(32, adaptive=True)
    source = list(range(100, 180))
    proposer.reset([*source, 1, *source[:3]])
    proposer.committed([source[3]], accepted=0, drafted=0)
    proposer.max_proposals()
    proposer.committed([*source[4:20], 7], accepted=16, drafted=24)
    for token in [8, *source[20 : 20 + rejoined]]:
        proposer.max_proposals()
        proposer.committed([token], accepted=0, drafted=0)
    length = TOKENS_PER_MATCH * (MIN_COPIED - 1 + rejoined - 1)
    assert proposer.max_proposals() == length
    assert proposer.propose(length).tokens == source[20 + rejoined : 20 + rejoined + length]


@pytest.mark.parametrize(("goes_on", "most"), [(0, TOKENS_PER_MATCH * (MIN_COPIED - 1)), (MIN_COPIED, 32)])
def test_behind_an_edit_all_is_offered_where_the_copy_went_on_behind_the_last_one(goes_on: int, most: int) -> None:
    """A single token that is equal again is often chance."""
    proposer = NgramProposer(32, adaptive=True)
    source = list(range(100, 200))
    proposer.reset([*source, 1, *source[:3]])
    proposer.committed([source[3]], accepted=0, drafted=0)
    proposer.max_proposals()
    proposer.committed([*source[4:20], 7], accepted=16, drafted=24)
    again = 22 + goes_on
    for token in [8, *source[21:again], 7, 8, source[again + 1]]:
        proposer.max_proposals()
        proposer.committed([token], accepted=0, drafted=0)
    assert proposer.max_proposals() == most


def test_a_copy_is_left_for_another_that_matches_for_longer() -> None:
    proposer = proposer_after([*CODE[:12], 50, 51, 0, 7, *CODE[13:20], 60, 61, 62, 1, *CODE[:6]])
    proposer.max_proposals()
    proposer.committed([*CODE[6:12], 50, 7], accepted=6, drafted=8)
    for token in CODE[13:19]:
        proposer.max_proposals()
        proposer.committed([token], accepted=0, drafted=0)
    assert proposer.propose(2).tokens == [CODE[19], 60]


def test_where_an_edited_copy_did_not_go_on_the_next_one_is_not_expected_to() -> None:
    proposer = copied_and_changed(7, 8)
    for number in (10, 20):
        proposer.committed(CODE[number : number + 6], accepted=0, drafted=0)
        assert proposer.max_proposals() > 0
        proposer.committed([9], accepted=0, drafted=1)
        assert proposer.max_proposals() == 0


@pytest.mark.parametrize(("matched", "goes_on"), [(3, False), (MIN_COPIED - 1, False), (MIN_COPIED, True)])
def test_only_a_likeness_of_some_length_is_a_copy_that_may_go_on(matched: int, goes_on: bool) -> None:
    proposer = proposer_after([*CODE, 1, *CODE[:matched]])
    assert proposer.max_proposals() > 0
    proposer.committed([7], accepted=0, drafted=2)
    assert (proposer.max_proposals() > 0) is goes_on
