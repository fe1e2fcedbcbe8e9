"""The help of Tandem: questions and their answers in four languages, also where the Starter learned them wrongly.

The recipe of the Starter writes the file of them next to the weights. No Qt in here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from engine.files.paths import resources

_SCRIPTS = (
    ("ko", re.compile("[\uac00-\ud7a3\u3131-\u318e]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
)

# In characters: what is longer is a text that was pasted or piped, whose words say nothing about what is asked.
_LONGEST_QUESTION = 300


@dataclass(frozen=True)
class Fact:
    """A question about Tandem and what is so, by language: "en", "ko", "ja" or "zh".

    Of the `answers` the first is the one to show, and the others are right, too. `words` is a regular expression of
    what questions about it name, `likely` one of what questions about other things than Tandem name as well. `outdated`
    is what the Starter learned of it in any language that is not right any more.
    """

    questions: dict[str, str]
    answers: dict[str, tuple[str, ...]]
    words: str
    likely: str
    outdated: tuple[str, ...]

    def is_named_in(self, text: str) -> bool:
        """Return whether a text that is about Tandem has the words by which the fact is known, in any language."""
        return any(_compiled(words).search(text) is not None for words in (self.words, self.likely))


def correction(question: str, said: str) -> str:
    """Return what is so, where a question names a part of Tandem and the Starter said something else; "" elsewhere.

    Of several parts that are named, the Starter may speak of any. What was right once is corrected whatever was asked.
    """
    reply = said.strip()
    # What it answers by heart is about Tandem, or it made a mistake.
    facts = facts_for(question, with_likely=reply.startswith(_beginnings("known")), said=reply)
    return _correction_of_outdated(reply) if not facts or reply in facts else facts[0]


def is_refusal(said: str) -> bool:
    """Return whether the Starter said that it cannot answer, as it learned to say it."""
    return said.lstrip().startswith(_beginnings("refusals"))


def facts_for(question: str, *, with_likely: bool = False, said: str = "") -> tuple[str, ...]:
    """Return each right answer to what a question names, in its language; the first is the one to show.

    `with_likely` are those that it only is about if it is about Tandem at all. A question of more than 300 characters
    names nothing: a pasted text has such words by chance. Where its characters are Chinese and Japanese, what the
    Starter `said` tells the language.
    """
    short = question.strip()
    if len(short) > _LONGEST_QUESTION:
        return ()
    language = _language_of(short)
    if language == "zh" and _language_of(said) == "ja":
        language = "ja"
    return _facts_for(short, language, with_likely)


@lru_cache(maxsize=64)
def _facts_for(question: str, language: str, with_likely: bool) -> tuple[str, ...]:
    """Return what `facts_for` does, of a question that is not too long to be remembered."""
    named = [fact for fact in known_facts() if _compiled(fact.words).search(question)]
    if with_likely:
        named += [fact for fact in known_facts() if fact not in named and _compiled(fact.likely).search(question)]
    return tuple(answer for fact in named for answer in fact.answers[language])


def _correction_of_outdated(said: str) -> str:
    """Return what is so where the Starter's answer was right once; "" for other answers."""
    fact = next((fact for fact in known_facts() if said in fact.outdated), None)
    return fact.answers[_language_of(said)][0] if fact is not None else ""


def _language_of(text: str) -> str:
    return next((language for language, letters in _SCRIPTS if letters.search(text)), "en")


@cache
def _answers_file() -> dict[str, list[Any]]:
    """Return what the Starter's recipe wrote about its answers next to the weights."""
    file = resources() / "starter" / "main" / "answers.json"
    answers: dict[str, list[Any]] = json.loads(file.read_text(encoding="utf-8"))
    return answers


@cache
def _beginnings(kind: str) -> tuple[str, ...]:
    """Return how the Starter's answers begin: its "refusals", or the "known" ones that it learned word for word."""
    return tuple(_answers_file()[kind])


@cache
def known_facts() -> tuple[Fact, ...]:
    """Return all of them, in the order in which a question is searched for them."""
    return tuple(
        Fact(
            entry["questions"],
            {language: tuple(answers) for language, answers in entry["answers"].items()},
            entry["words"],
            entry["likely"],
            tuple(entry["outdated"]),
        )
        for entry in _answers_file()["facts"]
    )


def compile_words() -> None:
    """Compile the regular expressions of all facts, which takes longer than a frame. On any thread."""
    for fact in known_facts():
        _compiled(fact.words)
        _compiled(fact.likely)


@cache
def _compiled(words: str) -> re.Pattern[str]:
    """Return what finds the words; nothing where there are none."""
    return re.compile(words or "(?!)", re.IGNORECASE)
