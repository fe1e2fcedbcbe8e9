"""Sequences: committed tokens, positions of caches and pending tokens after every way out of a round."""

from __future__ import annotations

import pytest

from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.speculation.families import EVERY_KIND, ONE_OF_A_KIND, build, change_kinds, fresh_caches
from tests.engine.speculation.plain_decoding import assert_same_logits, decode_plainly
from tests.engine.tiers import by_tier

TOKENS = [(11 * index + 5) % 96 for index in range(96)]


def started(name: str, prompt: int) -> CachedSequence:
    """Return a sequence that has read the first `prompt` tokens, with the last one pending."""
    sequence = CachedSequence(build(name), fresh_caches(name))
    sequence.append(TOKENS[:prompt])
    read_all(sequence)
    return sequence


def read_all(sequence: CachedSequence) -> None:
    while sequence.prefill(4):
        pass


@pytest.mark.first
def test_rows_kept_by_a_model_that_carries_ride_along_with_the_next_pass() -> None:
    sequence = started("mamba2", 6)

    sequence.verify([*TOKENS[6:8], 0, 0])
    sequence.commit(2, TOKENS[6:9])
    assert (sequence.position, sequence.pending) == (5, TOKENS[5:9])

    logits = sequence.verify([TOKENS[9], 0])
    assert logits.shape == (3, 96)
    sequence.commit(1, TOKENS[9:11])
    assert (sequence.position, sequence.pending) == (5, TOKENS[5:11])

    sequence.verify()
    sequence.commit(0, TOKENS[11:12])
    assert (sequence.position, sequence.pending) == (11, [TOKENS[11]])


@pytest.mark.parametrize("name", ["llama", "llama:window"])
def test_a_stop_inside_the_accepted_draft_tokens_keeps_no_row_behind_it(name: str) -> None:
    sequence = started(name, 12)

    sequence.verify(TOKENS[12:17])
    sequence.commit(5, TOKENS[12:14])

    assert sequence.tokens == TOKENS[:14]
    assert sequence.position == 14
    sequence.append(TOKENS[14:16])
    expected, _ = decode_plainly(name, TOKENS[:17], 1)
    assert_same_logits(sequence.verify()[0], expected[15], name)


@pytest.mark.parametrize("name", by_tier(EVERY_KIND, ONE_OF_A_KIND))
def test_a_sequence_rewinds_exactly_or_says_that_it_cannot(name: str) -> None:
    """After a rewind, another answer to the same prompt is as if the first had never been read."""
    sequence = started(name, 20)
    for start in (20, 24):
        sequence.verify(TOKENS[start : start + 3])
        sequence.commit(3, TOKENS[start : start + 4])
    goes_back = not sequence.needs_boundaries

    for length in (26, 21, 2):
        before = list(sequence.tokens)
        if not sequence.rewind(length):
            assert (sequence.tokens, sequence.reach(length)) == (before, 0)
            continue
        assert sequence.tokens == TOKENS[:length]
        branch = [*TOKENS[:length], 7, 8, 9]
        sequence.append(branch[length:])
        expected, _ = decode_plainly(name, [*branch, 0], 1)
        assert_same_logits(sequence.verify()[0], expected[-1], f"{name} from {length}")
        sequence.abort()
        assert sequence.rewind(length)
    assert (len(sequence.tokens) == 2) is goes_back


@pytest.mark.parametrize("name", ["mamba2", "llama:window"])
def test_checkpoints_of_a_copy_belong_to_its_own_text(name: str) -> None:
    """A sequence that went back to a checkpoint of its copy would go on with another text's state."""
    sequence = started(name, 12)
    sequence.remember()
    twin = sequence.fork()
    assert twin is not None
    twin.append([7] * 8)
    read_all(twin)
    twin.remember()

    sequence.append(TOKENS[12:40])
    read_all(sequence)
    assert sequence.rewind(20)
    sequence.append(TOKENS[20:22])
    read_all(sequence)
    expected, _ = decode_plainly(name, [*TOKENS[:22], 0], 1)
    assert_same_logits(sequence.verify()[0], expected[-1], name)


@pytest.mark.parametrize("name", ["mamba2", "llama:window"])
def test_a_rewind_forgets_the_checkpoints_after_it(name: str) -> None:
    """A later rewind would go on with the state of the text that was dropped."""
    sequence = started(name, 12)
    sequence.remember()
    sequence.append(TOKENS[12:30])
    read_all(sequence)
    sequence.remember()
    assert sequence.rewind(14)

    other = [*TOKENS[:14], *[7] * 30]
    sequence.append(other[14:])
    read_all(sequence)
    assert sequence.rewind(34)
    read_all(sequence)
    expected, _ = decode_plainly(name, [*other[:34], 0], 1)
    assert_same_logits(sequence.verify()[0], expected[-1], name)


def test_a_sequence_without_a_rule_decodes_plainly_until_something_must_be_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change_kinds(monkeypatch, width_dependent=frozenset({"llama"}))
    sequence = started("llama", 6)
    expected, _ = decode_plainly("llama", TOKENS[:8], 6)

    assert (sequence.plain_only, sequence.rollback.carries, sequence.reach(2)) == ("KVCache of llama", False, 0)
    assert_same_logits(sequence.verify()[0], expected[0], "llama")
    sequence.commit(0, TOKENS[6:7])
    assert sequence.arrays()
    assert sequence.intact
    sequence.verify()
    sequence.abort()
    assert not sequence.intact


@pytest.mark.parametrize(
    ("room", "kept"), [(0, [10, 40, 64, 80, 88, 95]), (2**30, [8, 10, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 95])]
)
def test_a_long_text_keeps_checkpoints_at_intervals_as_far_as_there_is_room(
    monkeypatch: pytest.MonkeyPatch, room: int, kept: list[int]
) -> None:
    """Without room they stay widely spread, with the end of the system prompt and the latest turn among them."""
    monkeypatch.setattr("engine.speculation.rounds.sequence.CHECKPOINT_SPACING", 8)
    sequence = CachedSequence(build("qwen3_next"), fresh_caches("qwen3_next"))
    sequence.append(TOKENS)
    sequence.checkpoint_bytes, sequence.boundaries = room, (*range(8, 95, 8), 10, 95)
    read_all(sequence)
    assert [checkpoint.position for checkpoint in sequence.checkpoints] == kept
