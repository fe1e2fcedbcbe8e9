"""The help of Tandem: questions and their answers in four languages, and how the Starter declines others.

The recipe of the Starter writes the file of them next to the weights. No Qt in here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from engine.files.paths import starter_pair


@dataclass(frozen=True, eq=False)
class Fact:
    """A question about Tandem and what is so, by language: "en", "ko", "ja" or "zh".

    `page` is the page of the settings that the answer speaks of, or `action` the action of the menus that leads there;
    "" without one. `wordings` are other ways to ask the question.
    """

    questions: dict[str, str]
    answers: dict[str, str]
    page: str
    action: str
    wordings: dict[str, list[str]]

    @property
    def has_place(self) -> bool:
        """Whether it speaks of a place in the window that can be opened."""
        return bool(self.page or self.action)


class HelpAnswer(NamedTuple):
    """What the help says of a fact in one language."""

    fact: Fact
    language: str

    @property
    def question(self) -> str:
        """The question that it answers."""
        return self.fact.questions[self.language]


def help_answer(said: str) -> HelpAnswer | None:
    """Return the answer of the help that a text is, word for word; None if it is another text."""
    return _answers().get(said.strip())


def is_refusal(said: str) -> bool:
    """Return whether the Starter said that it cannot answer, as it learned to say it."""
    return said.lstrip().startswith(tuple(_answers_file()["refusals"]))


def refusal(language: str) -> str:
    """Return how the Starter declines what it does not know, as it learned to say it."""
    text: str = _answers_file()["declines"][language]
    return text


def other_wordings(language: str) -> list[list[str]]:
    """Return small talk, and questions about other things than Tandem, by what they are about."""
    wordings: list[list[str]] = _answers_file()["others"][language]
    return wordings


@cache
def known_facts() -> tuple[Fact, ...]:
    """Return all facts, in the order in which the help lists them."""
    return tuple(Fact(**entry) for entry in _answers_file()["facts"])


@cache
def _answers() -> dict[str, HelpAnswer]:
    return {text: HelpAnswer(fact, language) for fact in known_facts() for language, text in fact.answers.items()}


@cache
def _answers_file() -> dict[str, Any]:
    """Return what the Starter's recipe wrote about its answers next to the weights."""
    main, _ = starter_pair()
    answers: dict[str, Any] = json.loads((main / "answers.json").read_text(encoding="utf-8"))
    return answers
