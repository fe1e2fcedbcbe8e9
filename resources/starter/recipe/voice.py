"""One language's phrases with a source of chance: how every skill words its questions and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resources.starter.recipe.content import read_phrases, read_words
from resources.starter.recipe.conversations import Turn
from resources.starter.recipe.courses import COURSES, Course
from resources.starter.recipe.noise import disturb, rephrase
from resources.starter.recipe.templates import draw, fill

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence


_REPHRASED_SHARE = 0.35


class Voice:
    """Speaks one language. The random generator is the caller's, so a seed fixes every word."""

    def __init__(self, language: str, rng: random.Random, course: Course = COURSES[0]) -> None:
        self.language = language
        self.rng = rng
        self.course = course
        self.phrases: dict[str, Any] = read_phrases(language)

    def word(self, questions: Sequence[str], slots: Mapping[str, object] | None = None) -> str:
        """One of the question templates, drawn, disturbed and filled."""
        text = draw(self.rng.choice(questions), self.rng)
        if self.rng.random() < _REPHRASED_SHARE:
            text = rephrase(text, self.language, self.rng, self.phrases["rephrase"]["sets"])
        noise = self.phrases["noise"]
        text = disturb(text, self.language, self.rng, noise["prefixes"], noise["suffixes"])
        return fill(text, slots or {})

    def turn(self, skill: str, family: str, slots: Mapping[str, object], answer: str | None = None) -> Turn:
        """A question of `skill` and its answer: the phrases' own, or `answer`."""
        table = self.phrases["skills"][skill]
        question = self.word(table["questions"], slots)
        return Turn(question, fill(answer if answer is not None else table["answer"], slots), family)

    def quoted(self, text: str) -> str:
        opening, closing = self.phrases["quotes"]
        return f"{opening}{text}{closing}"

    def loosely_quoted(self, text: str) -> str:
        """As people quote: with any marks, or with none."""
        opening, closing = self.rng.choice([('"', '"'), ("'", "'"), ("", ""), tuple(self.phrases["quotes"])])
        return f"{opening}{text}{closing}"

    def vocabulary(self, *kinds: str) -> list[str]:
        """Common words of this language, of these kinds or of all."""
        return [word[self.language] for word in read_words() if not kinds or word["kind"] in kinds]

    def join(self, items: Sequence[object]) -> str:
        return str(self.phrases["separator"]).join(str(item) for item in items)
