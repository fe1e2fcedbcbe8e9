"""What is so in Tandem where a question names it, since the Starter may have learned it wrongly. No Qt in here."""

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
    """What questions about it name, and what is so, by language: what is shown, and other right answers.

    `likely` is what questions about other things than Tandem name as well. `outdated` is what the Starter learned of it
    in any language that is not right any more.
    """

    words: re.Pattern[str]
    likely: re.Pattern[str]
    outdated: tuple[str, ...]
    answers: dict[str, tuple[str, ...]]


def fact_for(question: str) -> str:
    """Return what is so where a question names it, in the question's language; "" where it names nothing known."""
    return next(iter(facts_for(question)), "")


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


def facts_of_both(before: str, question: str, said: str) -> tuple[str, ...]:
    """Return what is so of what a question asks on about, in the language of the one `before` it, as `facts_for` does.

    First comes what neither of the two names alone: "What is a draft model?", "How do I turn it off?".
    """
    alone = facts_for(before, said=said)
    together = facts_for(f"{before} {question}", said=said)
    return (*(fact for fact in together if fact not in (*alone, *facts_for(question, said=said))), *alone)


@lru_cache(maxsize=64)
def _facts_for(question: str, language: str, with_likely: bool) -> tuple[str, ...]:
    """Return what `facts_for` does, of a question that is not too long to be remembered."""
    named = [fact for fact in _facts() if fact.words.search(question)]
    if with_likely:
        named += [fact for fact in _facts() if fact not in named and fact.likely.search(question)]
    return tuple(answer for fact in named for answer in fact.answers[language])


def outdated_fact(answer: str) -> str:
    """Return what is so where the Starter's answer was right once, whatever was asked; "" for other answers."""
    fact = next((fact for fact in _facts() if answer in fact.outdated), None)
    return fact.answers[_language_of(answer)][0] if fact is not None else ""


def _language_of(text: str) -> str:
    return next((language for language, letters in _SCRIPTS if letters.search(text)), "en")


@cache
def answers_file() -> dict[str, list[object]]:
    """Return what the Starter's recipe wrote about its answers next to the weights."""
    file = resources() / "starter" / "main" / "answers.json"
    answers: dict[str, list[object]] = json.loads(file.read_text(encoding="utf-8"))
    return answers


@cache
def _facts() -> tuple[Fact, ...]:
    table: list[dict[str, Any]] = answers_file()["facts"]  # type: ignore[assignment]
    return tuple(
        Fact(
            _compiled(entry["words"]),
            _compiled(entry["likely"]),
            tuple(entry["outdated"]),
            {language: tuple(answers) for language, answers in entry["answers"].items()},
        )
        for entry in table
    )


def _compiled(words: str) -> re.Pattern[str]:
    """Return what finds the words; nothing where there are none."""
    return re.compile(words or "(?!)", re.IGNORECASE)
