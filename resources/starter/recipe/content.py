"""What the project wrote: topics, phrases of the skills, words and held-out questions, read from TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from resources.starter.recipe.templates import normalised

LANGUAGES = ("en", "ko", "ja", "zh")
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Followup:
    """What may be asked after a topic, referring back to it: templates of the question, its one answer."""

    questions: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class Topic:
    """One thing the guide knows: templates of its questions, its one answer, what may be asked next."""

    name: str
    questions: tuple[str, ...]
    answer: str
    followups: tuple[Followup, ...]


@dataclass(frozen=True)
class Content:
    topics: dict[str, Topic]
    offtopic: Topic


@dataclass(frozen=True)
class HeldOut:
    """A question of the evaluation; the answer to its last turn must hold every entry of `expect`."""

    language: str
    kind: str
    subject: str
    turns: tuple[str, ...]
    expect: tuple[str, ...]

    def is_answered_by(self, answer: str) -> bool:
        folded = answer.casefold()
        return all(any(part.casefold() in folded for part in entry.split("|")) for entry in self.expect)


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


def _topic(name: str, table: dict[str, Any]) -> Topic:
    entries = table.get("followups", ())
    followups = tuple(Followup(tuple(entry["questions"]), entry["answer"].strip()) for entry in entries)
    return Topic(name, tuple(table["questions"]), table["answer"].strip(), followups)


@cache
def read_content(language: str) -> Content:
    """The topics of one language and its honest answer to everything else."""
    table = _read(_HERE / "content" / f"{language}.toml")
    topics = {name: _topic(name, topic) for name, topic in table["topics"].items()}
    return Content(topics, _topic("offtopic", table["offtopic"]))


@cache
def read_phrases(language: str) -> dict[str, Any]:
    """The wordings of the skills in one language."""
    return _read(_HERE / "phrases" / f"{language}.toml")


@cache
def read_wordings(language: str) -> dict[str, tuple[str, ...]]:
    """More wordings of topics, by their names, where a language has them."""
    path = _HERE / "phrases" / f"wordings_{language}.toml"
    if not path.exists():
        return {}
    return {name: tuple(questions) for name, questions in _read(path)["questions"].items()}


@cache
def read_words() -> list[dict[str, str]]:
    """Common words, each in the four languages."""
    return list(_read(_HERE / "phrases" / "words.toml")["words"])


@cache
def read_held_out(language: str) -> tuple[HeldOut, ...]:
    """The held-out questions of one language, which nobody looks at while content and training are worked on."""
    return _questions(language, (f"held_out_{language}.toml",))


@cache
def read_development(language: str) -> tuple[HeldOut, ...]:
    """The questions whose failures may be read: those about topics before those about skills."""
    return _questions(language, (f"{language}.toml", f"skills_{language}.toml"))


def _questions(language: str, names: tuple[str, ...]) -> tuple[HeldOut, ...]:
    found = []
    for name in names:
        for entry in _read(_HERE / "evaluation" / name)["questions"]:
            subject = entry.get("topic") or entry["skill"]
            found.append(HeldOut(language, entry["kind"], subject, tuple(entry["turns"]), tuple(entry["expect"])))
    return tuple(found)


@cache
def held_out_wordings() -> frozenset[str]:
    """Every judged question of both sets, normalised: what the corpus must not contain."""
    questions = (item for language in LANGUAGES for item in (*read_held_out(language), *read_development(language)))
    return frozenset(normalised(item.turns[-1]) for item in questions)
