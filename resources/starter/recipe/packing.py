"""Conversations as rows of token ids: several whole conversations a row, none cut, none seeing another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from resources.starter.recipe.tokenizer import TURN_END, TURN_START

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from resources.starter.recipe.conversations import Conversation

SHORT_ROW, LONG_ROW = 256, 2048
_OPEN_ROWS = 64

Example = tuple[list[int], list[bool]]
"""Token ids, and for each whether it belongs to an answer."""


@dataclass(frozen=True)
class Rows:
    """Packed rows, each array (rows, length): ids, whether an answer holds them, whose they are (0: none).

    `choices`, if given, are the tokens to predict at each place instead of those that follow.
    """

    tokens: NDArray[np.uint16]
    answers: NDArray[np.bool_]
    owners: NDArray[np.uint16]
    choices: NDArray[np.uint16] | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    def first(self, count: int) -> Rows:
        """The first `count` rows."""
        choices = None if self.choices is None else self.choices[:count]
        return Rows(self.tokens[:count], self.answers[:count], self.owners[:count], choices)


def encode_conversation(tokenizer: Tokenizer, conversation: Conversation) -> Example:
    """Token ids, and for each whether the model is to write it (answers and the end of their turn)."""
    texts, written = [], []
    opening = ""
    if conversation.system:
        opening = f"{TURN_START}system\n{conversation.system.strip()}{TURN_END}\n"
    for turn in conversation.turns:
        texts.append(f"{opening}{TURN_START}user\n{turn.user.strip()}{TURN_END}\n{TURN_START}assistant\n")
        texts.append(f"{turn.answer.strip()}{TURN_END}")
        written += [False, True]
        opening = "\n"
    ids: list[int] = []
    answers: list[bool] = []
    pieces = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    pieces[-1] = pieces[-1][: conversation.opening]
    for piece, is_answer in zip(pieces, written, strict=True):
        ids += piece
        answers += [is_answer] * len(piece)
    return ids, answers


def encode_conversations(tokenizer: Tokenizer, conversations: Iterable[Conversation]) -> Iterator[Example]:
    """Yield an example for each conversation."""
    for conversation in conversations:
        yield encode_conversation(tokenizer, conversation)


def pack(examples: Iterable[Example], length: int, padding: int) -> Rows:
    """Rows of `length` tokens, filled up with `padding`; an example that is longer is left out."""
    finished: list[_Row] = []
    for row in _fill_rows(examples, length):
        row.pad(padding)
        finished.append(row)
    return Rows(
        np.array([row.tokens for row in finished], dtype=np.uint16),
        np.array([row.answers for row in finished], dtype=np.bool_),
        np.array([row.owners for row in finished], dtype=np.uint16),
    )


def with_repeats(rows: Rows, share: float, vocabulary: range, seed: int) -> Rows:
    """`rows` and such a share of rows that repeat a run of meaningless tokens until they are full.

    Nothing but copying predicts such a row after its first run, and every token of it asks for that.
    """
    count, length = round(len(rows) * share / (1 - share)), rows.tokens.shape[1]
    generator = np.random.default_rng(seed)
    tokens, answers = np.empty((count, length), np.uint16), np.ones((count, length), np.bool_)
    for row in range(count):
        run = generator.integers(vocabulary.start, vocabulary.stop, generator.integers(6, length // 4))
        tokens[row] = np.resize(run, length)
        answers[row, : len(run)] = False
    return Rows(
        np.concatenate([rows.tokens, tokens]),
        np.concatenate([rows.answers, answers]),
        np.concatenate([rows.owners, np.ones((count, length), np.uint16)]),
    )


class _Row:
    def __init__(self, length: int) -> None:
        self.length = length
        self.tokens: list[int] = []
        self.answers: list[bool] = []
        self.owners: list[int] = []
        self.count = 0

    @property
    def room(self) -> int:
        return self.length - len(self.tokens)

    def add(self, ids: list[int], answers: list[bool]) -> None:
        self.count += 1
        self.tokens += ids
        self.answers += answers
        self.owners += [self.count] * len(ids)

    def pad(self, padding: int) -> None:
        room = self.room
        self.tokens += [padding] * room
        self.answers += [False] * room
        self.owners += [0] * room


def _fill_rows(examples: Iterable[Example], length: int) -> Iterator[_Row]:
    """Best fit over a few open rows; the fullest is closed when no open row has room."""
    open_rows: list[_Row] = []
    for ids, answers in examples:
        if len(ids) > length:
            continue
        fitting = [row for row in open_rows if row.room >= len(ids)]
        if fitting:
            row = min(fitting, key=lambda row: row.room)
        else:
            row = _Row(length)
            open_rows.append(row)
            if len(open_rows) > _OPEN_ROWS:
                fullest = min(open_rows[:-1], key=lambda row: row.room)
                open_rows.remove(fullest)
                yield fullest
        row.add(ids, answers)
    yield from open_rows
