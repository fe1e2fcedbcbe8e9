"""How often main is wrong about what it was taught."""

from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from resources.starter.recipe.corpus import conversations
from resources.starter.recipe.courses import WHOLE
from resources.starter.recipe.evaluation import Tally
from resources.starter.recipe.fresh_questions import fresh_tallies, is_right, report_fresh


class KnowsAllButSums:
    """Says what is written, as far as it is asked to, and nothing to a sum."""

    def __init__(self, seed: int, count: int) -> None:
        drawn = list(conversations(seed, count, WHOLE))
        self.kinds = [conversation.turns[-1].kind for conversation in drawn]
        self.written = {self._key(one.turns[-1].user, len(one.turns)): one.turns[-1] for one in drawn}
        self.tokenizer = SimpleNamespace(encode=lambda text: list(text))

    @staticmethod
    def _key(question: str, turns: int) -> tuple[str, int]:
        return question.strip(), turns

    def answers(self, dialogues: Sequence[list[dict[str, str]]], max_tokens: int) -> list[tuple[str, Tally]]:
        found = []
        for dialogue in dialogues:
            assert dialogue[-1]["role"] == "user"
            turns = sum(message["role"] == "user" for message in dialogue)
            turn = self.written[self._key(dialogue[-1]["content"], turns)]
            found.append(("" if turn.kind == "arithmetic" else turn.answer.strip()[:max_tokens], Tally()))
        return found


@pytest.mark.full
def test_what_main_is_wrong_about_comes_first() -> None:
    pair = KnowsAllButSums(5, 120)

    sums = fresh_tallies(pair, 5, 120)  # type: ignore[arg-type]

    assert sum(tally.questions for tally in sums.values()) == 120
    for (kind, _), tally in sums.items():
        assert tally.right == (0 if kind == "arithmetic" else tally.questions), kind
    first, *others = report_fresh(sums).splitlines()
    assert first.startswith("arithmetic")
    assert "0.0%" in first
    assert others
    assert all("100.0%" in line for line in others)
    assert pair.kinds.count("arithmetic") == int(first.split("/")[1].split()[0])


@pytest.mark.parametrize(
    ("answer", "is_cut", "expected"),
    [
        ("red fish", False, True),
        ("red", False, False),
        ("red", True, True),
        ("red\ufffd", True, True),
        ("blue", True, False),
    ],
)
def test_an_answer_that_was_cut_has_to_begin_as_what_is_written(answer: str, is_cut: bool, expected: bool) -> None:
    assert is_right(answer, "red fish", is_cut=is_cut) is expected
