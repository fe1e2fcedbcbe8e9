"""How often main is wrong about what it was taught, by kind: on questions drawn anew, as many as are wanted.

The development questions are too few to tell what is weak: a kind has some thirty of them. Answers known by heart are
told by their first words, so no answer is written beyond those.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from resources.starter.recipe.corpus import conversations
from resources.starter.recipe.courses import WHOLE
from resources.starter.recipe.evaluation import Tally

if TYPE_CHECKING:
    from resources.starter.recipe.conversations import Conversation
    from resources.starter.recipe.evaluation import Pair

FIRST_TOKENS = 24


def fresh_tallies(pair: Pair, seed: int, count: int) -> dict[tuple[str, str], Tally]:
    """Right answers to the last turns of `count` conversations, by kind of turn and language."""
    drawn = list(conversations(seed, count, WHOLE))
    answers = pair.answers([_dialogue(conversation) for conversation in drawn], FIRST_TOKENS)
    sums: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for conversation, (answer, _) in zip(drawn, answers, strict=True):
        last = conversation.turns[-1]
        kind, _, _ = last.kind.partition("/")
        is_cut = len(pair.tokenizer.encode(answer)) >= FIRST_TOKENS - 1
        right = int(is_right(answer, last.answer.strip(), is_cut=is_cut))
        sums[kind, conversation.language].add(Tally(questions=1, right=right))
    return sums


def is_right(answer: str, written: str, *, is_cut: bool) -> bool:
    """Return whether main gives the written answer; one that was cut may end inside a character."""
    return written.startswith(answer.rstrip("\ufffd")) if is_cut else answer == written


def report_fresh(sums: dict[tuple[str, str], Tally]) -> str:
    """Return a line for each kind, the weakest first, with the share of right answers in each language."""
    kinds: dict[str, Tally] = defaultdict(Tally)
    for (kind, _), tally in sums.items():
        kinds[kind].add(tally)
    lines = []
    for kind, tally in sorted(kinds.items(), key=lambda pair: pair[1].right_share):
        languages = "  ".join(
            f"{language} {one.right}/{one.questions}" for (name, language), one in sorted(sums.items()) if name == kind
        )
        lines.append(f"{kind:<12} {tally.right:>4}/{tally.questions:<4} right {tally.right_share:6.1%}   {languages}")
    return "\n".join(lines)


def _dialogue(conversation: Conversation) -> list[dict[str, str]]:
    messages = [{"role": "system", "content": conversation.system.strip()}] if conversation.system else []
    for turn in conversation.turns:
        messages.append({"role": "user", "content": turn.user.strip()})
        messages.append({"role": "assistant", "content": turn.answer.strip()})
    return messages[:-1]
