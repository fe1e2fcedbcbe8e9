"""The index of answers finds the longest match, keeps it on disk, and forgets chats for good."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from engine.answer_index.index import AnswerIndex
from engine.answer_index.segment import BREAK, DEPTH

MOST = 2**24
LEAST = 3


@contextmanager
def opened(folder: Path, tokenizer: str = "words", budget: int = MOST) -> Iterator[AnswerIndex]:
    with closing(AnswerIndex(folder, budget)) as index:
        index.use(tokenizer).result()
        yield index


def found(index: AnswerIndex, newest: Sequence[int], count: int = 4, limit: int = 100) -> tuple[int, list[list[int]]]:
    """Return the length of the longest match, and what follows its occurrences."""
    length, places = index.occurrences(newest, limit, LEAST)
    return length, [index.following(place, count) for place in places]


def written(index: AnswerIndex) -> None:
    index.forget([]).result()


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def answer(start: int) -> list[int]:
    return list(range(start, start + 2 * DEPTH))


@pytest.mark.parametrize("seed", range(3))
def test_look_ups_find_what_a_search_of_all_answers_finds(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    answers = [[draw.randrange(6) for _ in range(draw.randrange(20, 90))] for _ in range(30)]
    ends = [(tokens, end) for tokens in answers for end in range(1, len(tokens) + 1)]
    with opened(tmp_path) as index:
        for number, tokens in enumerate(answers):
            index.add(f"chat {number}", tokens)
        written(index)
        for _ in range(200):
            source, end = draw.choice(ends)
            newest = [draw.randrange(6) for _ in range(DEPTH)] + source[max(0, end - draw.randrange(1, 9)) : end]
            lengths = [shared(tokens[:end], newest[-DEPTH:]) for tokens, end in ends]
            length, following = found(index, newest, 2)
            assert length == max(lengths)
            known = {
                tuple(tokens[end : end + 2]) for (tokens, end), one in zip(ends, lengths, strict=True) if one == length
            }
            # Behind a break the next answer begins.
            proposed = {tuple(one[: one.index(BREAK)] if BREAK in one else one) for one in following}
            assert proposed <= known
            assert bool(proposed) == (length >= LEAST)


def shared(tokens: Sequence[int], newest: Sequence[int]) -> int:
    count = 0
    while count < min(len(tokens), len(newest)) and tokens[-1 - count] == newest[-1 - count]:
        count += 1
    return count


def test_the_newest_occurrences_come_first(tmp_path: Path) -> None:
    with opened(tmp_path) as index:
        for number in range(20):
            index.add(f"chat {number}", [*answer(100), 1000 + number])
        written(index)
        _, following = found(index, answer(100), 1, limit=5)
    assert following == [[1019], [1018], [1017], [1016], [1015]]


def test_few_files_hold_many_answers_and_the_next_start_finds_them(tmp_path: Path) -> None:
    with opened(tmp_path) as index:
        for number in range(60):
            index.add(f"chat {number}", answer(100 * number))
    assert len(files(tmp_path)) <= 4
    with opened(tmp_path) as index:
        for number in range(60):
            assert found(index, answer(100 * number)[:DEPTH], 2) == (DEPTH, [answer(100 * number)[DEPTH:][:2]])


def contents(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in files(folder))


def test_a_forgotten_chat_leaves_look_ups_at_once_and_the_disk_for_good(tmp_path: Path) -> None:
    secret = [0x1234567, *answer(100)]
    with opened(tmp_path) as index:
        for number in range(5):
            index.add("kept", answer(1000 * (number + 1)))
        index.add("chat", secret)
        index.use("letters")
        index.add("chat", secret)
        index.use("words").result()
        assert found(index, secret[:DEPTH])[0] == DEPTH
        assert (0x1234567).to_bytes(4, "big") in contents(tmp_path)
        index.forget(["chat"])
        assert found(index, secret[:DEPTH]) == (0, [])
        # Its answer was under way.
        index.add("chat", secret)
        written(index)
        assert found(index, secret[:DEPTH])[0] < LEAST
        assert found(index, answer(1000)[:DEPTH], 1) == (DEPTH, [[1000 + DEPTH]])
    assert (0x1234567).to_bytes(4, "big") not in contents(tmp_path)


def test_only_known_chats_stay(tmp_path: Path) -> None:
    with opened(tmp_path) as index:
        index.add("chat", answer(100))
        index.add("other", answer(300))
    with closing(AnswerIndex(tmp_path, MOST)) as index:
        # A model need not be loaded for this.
        index.forget_others(["other"])
    with opened(tmp_path) as index:
        assert found(index, answer(100)[:DEPTH])[0] == 0
        assert found(index, answer(300)[:DEPTH])[0] == DEPTH
        index.forget_others([])
    assert files(tmp_path) == []


@pytest.mark.expects_log
def test_a_chat_that_cannot_be_taken_out_takes_its_file_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with opened(tmp_path) as index:
        index.add("chat", answer(100))
        index.add("other", answer(300))
        written(index)
        monkeypatch.setattr("engine.answer_index.segment.write_atomically", full)
        index.forget(["chat"]).result()
        assert found(index, answer(300)) == (0, [])
    assert files(tmp_path) == []


def test_a_full_index_drops_its_oldest_answers(tmp_path: Path) -> None:
    budget = 8_000
    with opened(tmp_path, "letters") as index:
        index.add("other", answer(0))
    with opened(tmp_path, budget=budget) as index:
        for number in range(60):
            index.add(f"chat {number}", answer(100 * number))
        written(index)
        assert found(index, answer(100 * 59)[:DEPTH])[0] == DEPTH
        assert found(index, answer(0)[:DEPTH])[0] < LEAST
    assert sum(path.stat().st_size for path in files(tmp_path)) <= budget
    assert not [*(tmp_path / "letters").iterdir()]


@pytest.mark.expects_log
@pytest.mark.parametrize("damage", [b"", b"half a file", bytes(40)], ids=("empty", "short", "zeros"))
def test_a_damaged_file_is_ignored(tmp_path: Path, damage: bytes) -> None:
    with opened(tmp_path) as index:
        index.add("chat", answer(100))
    [file] = files(tmp_path)
    file.write_bytes(damage)
    (file.parent / ".0-0.answers.12.partial").write_bytes(b"half of one")
    with opened(tmp_path) as index:
        assert found(index, answer(100)) == (0, [])
        index.add("chat", answer(100))
        written(index)
        assert found(index, answer(100))[0] == DEPTH
    assert len(files(tmp_path)) == 1


def test_a_process_killed_between_merging_and_deleting_leaves_no_answer_twice(tmp_path: Path) -> None:
    with opened(tmp_path) as index:
        index.add("chat", answer(100))
        written(index)
        [first] = files(tmp_path)
        kept = first.read_bytes()
        index.add("chat", answer(300))
    first.write_bytes(kept)
    with opened(tmp_path) as index:
        assert found(index, answer(100)[:DEPTH], 1) == (DEPTH, [[100 + DEPTH]])
    assert len(files(tmp_path)) == 1


def test_usage_counts_tokens_and_those_of_one_chat_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as index:
        empty = index.usage().result()
        assert (empty.tokens, len(empty.ids), len(empty.alone)) == (0, 0, 0)
        index.add("one", [*answer(0), 5, 5])
        index.add("two", answer(16))
        # A forgotten chat does not count.
        index.add("three", answer(900))
        index.forget(["three"])
        usage = index.usage().result()
        assert usage.tokens == 66
        assert usage.ids.tolist() == list(range(48))
        alone = dict(zip(usage.ids.tolist(), usage.alone.tolist(), strict=True))
        assert [alone[0], alone[5], alone[16], alone[31], alone[32]] == [1, 3, 0, 0, 1]
