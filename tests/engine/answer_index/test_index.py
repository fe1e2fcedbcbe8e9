"""The index of answers finds the longest match, keeps it on disk, and forgets chats for good."""

from __future__ import annotations

import errno
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from engine.answer_index import index as module
from engine.answer_index.index import RUN, AnswerIndex

MOST = 2**24


@contextmanager
def opened(folder: Path, tokenizer: str = "words", budget: int = MOST) -> Iterator[AnswerIndex]:
    with closing(AnswerIndex(folder, budget)) as index:
        index.use(tokenizer).result()
        yield index


def found(index: AnswerIndex, newest: Sequence[int], count: int = 4, limit: int = 100) -> list[tuple[int, list[int]]]:
    """Return the length of each match, and what follows it."""
    return [(length, index.following(place, count)) for place, length in index.occurrences(newest, limit)]


def written(index: AnswerIndex) -> None:
    index.forget([]).result()


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def answer(start: int) -> list[int]:
    return list(range(start, start + 4 * RUN))


@pytest.mark.full
@pytest.mark.parametrize("seed", range(3))
def test_look_ups_find_what_a_search_of_all_answers_finds(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    answers = [[draw.randrange(2) for _ in range(draw.randrange(20, 90))] for _ in range(30)]
    with opened(tmp_path) as index:
        for number, tokens in enumerate(answers):
            index.add(f"chat {number}", tokens)
        written(index)
        for _ in range(200):
            newest = [draw.randrange(2) for _ in range(draw.randrange(RUN, 20))]
            expected = [
                (length, tokens[end : end + 2])
                for tokens in reversed(answers)
                for end in range(len(tokens), 0, -1)
                if (length := shared(tokens[:end], newest)) >= RUN
            ]
            assert found(index, newest, 2, 10_000) == expected


def shared(tokens: Sequence[int], newest: Sequence[int]) -> int:
    count = 0
    while count < min(len(tokens), len(newest)) and tokens[-1 - count] == newest[-1 - count]:
        count += 1
    return count


@pytest.mark.first
def test_the_newest_occurrences_come_first(tmp_path: Path) -> None:
    with opened(tmp_path) as index:
        for number in range(20):
            index.add(f"chat {number}", [*answer(100), 1000 + number])
        written(index)
        following = [tokens for _, tokens in found(index, answer(100), 1, limit=5)]
    assert following == [[1019], [1018], [1017], [1016], [1015]]


def test_the_next_start_finds_the_answers_of_the_tokenizer_in_use(tmp_path: Path) -> None:
    with opened(tmp_path) as index:
        for number in range(60):
            index.add(f"chat {number}", answer(100 * number))
    with opened(tmp_path) as index:
        for number in range(60):
            tokens = answer(100 * number)
            assert found(index, tokens[: 2 * RUN], 2) == [(2 * RUN, tokens[2 * RUN :][:2])]
        index.use("letters").result()
        assert found(index, answer(0)) == []


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
        assert found(index, secret[:RUN])
        assert (0x1234567).to_bytes(4, "little") in contents(tmp_path)
        [(place, _)] = index.occurrences(secret[:RUN], 1)
        index.forget(["chat"])
        assert found(index, secret[:RUN]) == []
        # Its answer was under way.
        index.add("chat", secret)
        written(index)
        assert found(index, secret[:RUN]) == index.following(place, 4) == []
        assert found(index, answer(1000)[:RUN], 1) == [(RUN, [1000 + RUN])]
    assert (0x1234567).to_bytes(4, "little") not in contents(tmp_path)


def test_only_known_chats_stay(tmp_path: Path) -> None:
    with opened(tmp_path) as index:
        index.add("chat", answer(100))
        index.add("other", answer(300))
    with closing(AnswerIndex(tmp_path, MOST)) as index:
        # A model need not be loaded for this.
        index.forget_others(["other"])
    with opened(tmp_path) as index:
        assert found(index, answer(100)[:RUN]) == []
        assert found(index, answer(300)[:RUN])
        index.forget_others([])
    assert files(tmp_path) == []


@pytest.mark.expects_log
def test_a_chat_that_cannot_be_taken_out_takes_its_file_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with opened(tmp_path) as index:
        index.add("chat", answer(100))
        index.add("other", answer(300))
        written(index)
        assert found(index, answer(300))
        monkeypatch.setattr(module, "_remove", full)
        index.forget(["chat"]).result()
        assert files(tmp_path) == []
        assert found(index, answer(300)) == []
        index.add("other", answer(500))
        written(index)
        assert found(index, answer(500))


@pytest.mark.expects_log
def test_a_file_that_cannot_be_deleted_is_deleted_by_the_next_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **_options: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with opened(tmp_path) as index:
        index.add("chat", answer(100))
        written(index)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", refused)
            index.forget(["chat"]).result()
            index.forget(["other"]).result()
        # Nothing of the chat is found or counted until then.
        assert files(tmp_path)
        assert found(index, answer(100)[:RUN]) == []
        assert index.usage().result().tokens == 0
        index.add("new", answer(500))
        written(index)
        assert found(index, answer(100)[:RUN]) == []
        assert found(index, answer(500)[:RUN])
        monkeypatch.setattr(Path, "unlink", refused)
        index.forget(["new"]).result()
        monkeypatch.undo()
    assert files(tmp_path) == []


def test_a_full_index_drops_its_oldest_answers(tmp_path: Path) -> None:
    budget = 200_000
    with opened(tmp_path, "letters") as index:
        index.add("other", answer(0))
    with opened(tmp_path, budget=budget) as index:
        for number in range(600):
            index.add(f"chat {number}", answer(100 * number))
        written(index)
        assert found(index, answer(100 * 599)[:RUN])
        assert found(index, answer(0)[:RUN]) == []
        index.use("letters").result()
        assert found(index, answer(0)[:RUN]) == []
    assert sum(path.stat().st_size for path in files(tmp_path)) <= budget


@pytest.mark.expects_log
@pytest.mark.parametrize("damage", [b"", b"half a file", bytes(4000)], ids=("empty", "short", "zeros"))
def test_a_damaged_file_is_ignored(tmp_path: Path, damage: bytes) -> None:
    with opened(tmp_path) as index:
        index.add("chat", answer(100))
    [file] = files(tmp_path)
    file.write_bytes(damage)
    with opened(tmp_path) as index:
        assert found(index, answer(100)) == []
        index.add("chat", answer(100))
        written(index)
        assert found(index, answer(100))


def test_what_earlier_versions_kept_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "0-0.answers").write_bytes(b"tokens")
    with opened(tmp_path):
        assert not (tmp_path / "words").exists()


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
