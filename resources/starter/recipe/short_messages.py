"""Checks that messages of a word or two are answered in their language and with their topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources.starter.recipe.content import LANGUAGES, read_content
from resources.starter.recipe.scripts import language_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources.starter.recipe.content import ShortMessage
    from resources.starter.recipe.evaluation import Pair


@dataclass(frozen=True)
class ShortAnswer:
    """A message, typed in lower case, and what main answers to it at the start of a chat."""

    message: ShortMessage
    answer: str

    @property
    def is_in_its_language(self) -> bool:
        return language_of(self.answer) == self.message.language

    @property
    def is_about_it(self) -> bool:
        """Whether the answer is the topic's own, at least in its beginning."""
        content = read_content(self.message.language)
        topic = content.offtopic if self.message.kind == "offtopic" else content.topics[self.message.kind]
        return self.answer[:16] == topic.answer[:16]


def ask_short(pair: Pair, messages: Sequence[ShortMessage]) -> list[ShortAnswer]:
    """Ask each message alone."""
    answers = pair.answers([[{"role": "user", "content": message.text.lower()}] for message in messages])
    return [ShortAnswer(message, answer) for message, (answer, _) in zip(messages, answers, strict=True)]


def report_short(name: str, answers: Sequence[ShortAnswer], *, with_failures: bool) -> str:
    """Return a line for each language and, if asked for, all answers in another language."""
    lines = []
    for language in LANGUAGES:
        own = [answer for answer in answers if answer.message.language == language]
        in_language, about = sum(answer.is_in_its_language for answer in own), sum(answer.is_about_it for answer in own)
        lines.append(f"{name} {language}  {in_language}/{len(own)} in its language   {about}/{len(own)} about it")
    lines += [
        f"wrong language [{answer.message.language}] {answer.message.text}: {answer.answer!r}"
        for answer in answers
        if with_failures and not answer.is_in_its_language
    ]
    return "\n".join(lines)
