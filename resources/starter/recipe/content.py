"""Reads the project's texts from TOML: topics, phrases of the skills, words and questions of the evaluation."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from resources.starter.recipe.templates import normalised

LANGUAGES = ("en", "ko", "ja", "zh")
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Followup:
    """A question that refers back to a topic: its templates, and its only answer."""

    questions: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class Topic:
    """A topic of the guide: templates of its questions, its only answer, and questions that may follow."""

    name: str
    questions: tuple[str, ...]
    answer: str
    followups: tuple[Followup, ...]


@dataclass(frozen=True)
class Content:
    """Topics by name, the honest answer to everything else, and the long answer that Compare demonstrates."""

    topics: dict[str, Topic]
    offtopic: Topic
    at_length: Topic


@dataclass(frozen=True)
class EvaluationQuestion:
    """A question of the evaluation; the answer to its last turn must hold every entry of `expect`."""

    language: str
    kind: str
    subject: str
    turns: tuple[str, ...]
    expect: tuple[str, ...]

    def is_answered_by(self, answer: str) -> bool:
        folded = answer.casefold()
        return all(any(part.casefold() in folded for part in entry.split("|")) for entry in self.expect)


@dataclass(frozen=True)
class NewcomerQuestion:
    """What a newcomer asks in one language, and the topics whose answers are right (or "offtopic").

    `before` is what was asked before it in the same chat, "" if it is the first question.
    """

    language: str
    topics: tuple[str, ...]
    text: str
    before: str = ""

    @property
    def is_offtopic(self) -> bool:
        """Whether no topic answers it."""
        return self.topics == ("offtopic",)

    def is_answered_by(self, answer: str) -> bool:
        """Whether that is the answer of one of the topics, word for word, or Tandem's help on it."""
        content, facts = read_content(self.language), read_facts()
        topics = content.topics | {content.offtopic.name: content.offtopic}
        helps = [help_of(name, self.language) for name in self.topics if name in facts]
        return answer in [*(topics[name].answer for name in self.topics), *helps]


@dataclass(frozen=True)
class ShortMessage:
    """A word or two in one language, and the topic they stand for (or "offtopic")."""

    language: str
    kind: str
    text: str


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


@dataclass(frozen=True)
class Beyond:
    """A question that the guide has to decline, unless its answer holds `right`."""

    language: str
    kind: str
    text: str
    right: str

    def is_answered_by(self, answer: str) -> bool:
        """Whether the guide declines in the question's language, or is right."""
        declines = answer[:16] == read_content(self.language).offtopic.answer[:16]
        return declines or bool(self.right and self.right in answer.replace(",", ""))


@dataclass(frozen=True)
class ToolQuestion:
    """A question in one language, and the tool that answers it."""

    language: str
    tool: str
    text: str


@cache
def read_beyond(language: str) -> dict[str, Any]:
    """Wordings of what the guide declines, or the "data" that all languages share."""
    return _table("beyond", language)


@cache
def read_tools(language: str) -> dict[str, Any]:
    """Questions and answers of each tool, or the "names" that all languages share."""
    return _table("tools", language)


def _table(name: str, part: str) -> dict[str, Any]:
    table: dict[str, Any] = _read(_HERE / "phrases" / f"{name}.toml")[part]
    return table


@cache
def read_odd_requests() -> dict[str, Any]:
    """Wordings by language, and code snippets, of requests that main was never taught."""
    return _read(_HERE / "phrases" / "odd.toml")


@cache
def read_facts() -> dict[str, dict[str, Any]]:
    """What is so in Tandem, by topic: answers and wordings of four languages, and what they have to agree with."""
    return _read(_HERE.parent / "facts.toml")


def _topic(name: str, table: dict[str, Any]) -> Topic:
    entries = table.get("followups", ())
    followups = tuple(Followup(tuple(entry["questions"]), entry["answer"].strip()) for entry in entries)
    return Topic(name, tuple(table["questions"]), table["answer"].strip(), followups)


@cache
def read_content(language: str) -> Content:
    """The topics of one language, the facts among them, and its honest answer to everything else."""
    table = _read(_HERE / "topics" / f"{language}.toml")
    for name, fact in read_facts().items():
        topic = table["topics"].setdefault(name, {"questions": []})
        topic["answer"] = fact[language].get("answer") or topic["answer"]
        topic["questions"] = [*topic["questions"], *fact[language].get("questions", ())]
    topics = {name: _topic(name, topic) for name, topic in table["topics"].items()}
    return Content(topics, _topic("offtopic", table["offtopic"]), _topic("at_length", table["at_length"]))


def help_of(name: str, language: str) -> str:
    """Return what the help of Tandem says of a fact."""
    return read_facts()[name][language].get("help") or read_content(language).topics[name].answer


def read_evaluated() -> tuple[NewcomerQuestion, ...]:
    """Return what newcomers and strangers ask first in a chat, which the corpus leaves out."""
    unseen = chain.from_iterable(map(read_unseen, ("first", "second", "third")))
    typed = (question for question in read_typed() if not question.before)
    return (*read_newcomer(), *read_strangers(), *unseen, *typed)


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
def read_short(language: str) -> dict[str, tuple[str, ...]]:
    """Return short messages of a word or two, by topic."""
    table = _read(_HERE / "phrases" / f"short_{language}.toml")["questions"]
    of_facts = {name: fact[language].get("short", ()) for name, fact in read_facts().items()}
    return {name: (*table.get(name, ()), *of_facts.get(name, ())) for name in table | of_facts}


@cache
def read_words() -> list[dict[str, str]]:
    """Common words, each in the four languages."""
    return list(_read(_HERE / "phrases" / "words.toml")["words"])


@cache
def read_held_out(language: str) -> tuple[EvaluationQuestion, ...]:
    """Return the held-out questions of one language, which nobody reads while working on content and training."""
    return _questions(language, (f"held_out_{language}.toml",))


@cache
def read_development(language: str) -> tuple[EvaluationQuestion, ...]:
    """The questions whose failures may be read: those about topics before those about skills."""
    return _questions(language, (f"{language}.toml", f"skills_{language}.toml"))


@cache
def read_short_development(language: str) -> tuple[ShortMessage, ...]:
    """Messages of a word or two that may be taught, of 40 kinds."""
    return _short_messages(language, f"short_{language}.toml")


@cache
def read_short_held_out(language: str) -> tuple[ShortMessage, ...]:
    """Messages of a word or two that the corpus leaves out, of the same 40 kinds."""
    return _short_messages(language, f"held_out_short_{language}.toml")


@cache
def read_beyond_held_out(language: str) -> tuple[Beyond, ...]:
    """Requests that the corpus leaves out and the guide has to decline."""
    entries = _read(_HERE / "evaluation" / "held_out_beyond.toml")[language]["questions"]
    return tuple(Beyond(language, entry["kind"], entry["text"], entry.get("right", "")) for entry in entries)


@cache
def read_tools_held_out(language: str) -> tuple[ToolQuestion, ...]:
    """Questions for the tools that the corpus leaves out."""
    tools = _read(_HERE / "evaluation" / "held_out_tools.toml")[language]
    return tuple(ToolQuestion(language, tool, text) for tool, texts in tools.items() for text in texts)


@cache
def read_newcomer() -> tuple[NewcomerQuestion, ...]:
    """What newcomers ask, in four languages, which the corpus leaves out."""
    entries = _read(_HERE / "evaluation" / "newcomer.toml")["questions"]
    return tuple(
        NewcomerQuestion(language, tuple(entry["topics"]), entry[language])
        for entry in entries
        for language in LANGUAGES
    )


@cache
def read_strangers() -> tuple[NewcomerQuestion, ...]:
    """What strangers ask, in each language other questions, which the corpus leaves out."""
    table = _read(_HERE / "evaluation" / "strangers.toml")
    return tuple(
        NewcomerQuestion(language, tuple(entry["topics"]), entry["text"])
        for language in LANGUAGES
        for entry in table[language]
    )


@cache
def read_unseen(name: str) -> tuple[NewcomerQuestion, ...]:
    """What newcomers ask, in four languages: the "first", "second" or "third" set, which the corpus leaves out."""
    entries = _read(_HERE / "evaluation" / "unseen.toml")[name]
    return tuple(
        NewcomerQuestion(language, tuple(entry["topics"]), entry[language])
        for entry in entries
        for language in LANGUAGES
    )


@cache
def read_typed() -> tuple[NewcomerQuestion, ...]:
    """What newcomers type, in each language other questions, some of which ask on; the corpus leaves them out."""
    table = _read(_HERE / "evaluation" / "typed.toml")
    return tuple(
        NewcomerQuestion(language, tuple(entry["topics"]), entry["text"], entry.get("before", ""))
        for language in LANGUAGES
        for entry in table[language]
    )


def _short_messages(language: str, name: str) -> tuple[ShortMessage, ...]:
    kinds = _read(_HERE / "evaluation" / name)["messages"]
    return tuple(ShortMessage(language, kind, text) for kind, texts in kinds.items() for text in texts)


def _questions(language: str, names: tuple[str, ...]) -> tuple[EvaluationQuestion, ...]:
    found = []
    for name in names:
        for entry in _read(_HERE / "evaluation" / name)["questions"]:
            subject = entry.get("topic") or entry["skill"]
            found.append(
                EvaluationQuestion(language, entry["kind"], subject, tuple(entry["turns"]), tuple(entry["expect"]))
            )
    return tuple(found)


@cache
def held_out_wordings() -> frozenset[str]:
    """Return the normalised texts that the corpus must not contain: judged questions and held-out messages."""
    questions = (item for language in LANGUAGES for item in (*read_held_out(language), *read_development(language)))
    others = (
        item.text
        for language in LANGUAGES
        for item in (*read_short_held_out(language), *read_beyond_held_out(language), *read_tools_held_out(language))
    )
    unseen = chain.from_iterable(map(read_unseen, ("first", "second", "third")))
    newcomer = (item.text for item in (*read_newcomer(), *read_strangers(), *read_typed(), *unseen))
    return frozenset(normalised(text) for text in (*(item.turns[-1] for item in questions), *others, *newcomer))
