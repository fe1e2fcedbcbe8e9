"""What Tandem knows of the Starter's answers: the help, how questions about it are worded, and how it declines."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

from resources.starter.recipe.content import (
    LANGUAGES,
    help_of,
    read_content,
    read_evaluated,
    read_facts,
    read_short,
    read_tools,
    read_wordings,
)
from resources.starter.recipe.templates import draw, normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

# Wordings of a fact, or as many as it has templates. With 50, of 100 English questions with two slips 83 have the right
# fact first, with 80 two more.
_WORDINGS = 50
# Of what has nothing to do with Tandem there is more.
_OTHER_WORDINGS = 600
# So often each template is drawn, at most.
_DRAWS = 40


def answers_file() -> dict[str, Any]:
    """Return the content of `answers.json`.

    "facts" are the help, with wordings of questions by language. "others" are wordings of questions that it does not
    answer, by what they are about. "refusals" are the first clauses of how the guide declines, and "declines" the whole
    sentences by language.
    """
    facts = [
        {
            "questions": {language: fact[language]["heading"] for language in LANGUAGES},
            "answers": {language: help_of(name, language) for language in LANGUAGES},
            "page": fact.get("page", ""),
            "action": fact.get("action", ""),
            "wordings": {language: _wordings_of(name, language) for language in LANGUAGES},
        }
        for name, fact in read_facts().items()
    ]
    declines = {language: read_content(language).offtopic.answer for language in LANGUAGES}
    return {
        "refusals": [re.split("[:.。]", text)[0] for text in declines.values()],
        "declines": declines,
        "facts": facts,
        "others": {language: _other_wordings(language) for language in LANGUAGES},
    }


def _wordings_of(name: str, language: str) -> list[str]:
    """Return different wordings of the question that a fact answers, drawn from templates, and what people asked."""
    asked = [one.text for one in read_evaluated() if one.language == language and one.topics[0] == name]
    return [*_drawn(name, language, read_content(language).topics[name].questions, _WORDINGS), *asked]


def _other_wordings(language: str) -> list[list[str]]:
    """Return wordings of what has a long answer, of what tools of Tandem know, of small talk, and of other things."""
    content = read_content(language)
    small_talk = {topic.name: topic.questions for topic in content.topics.values() if topic.name not in read_facts()}
    by_tools = {tool: entry["questions"] for tool, entry in read_tools(language).items()}
    topics = {content.at_length.name: content.at_length.questions, **by_tools, **small_talk}
    drawn = [_drawn(name, language, questions, _WORDINGS) for name, questions in topics.items()]
    others = _drawn(content.offtopic.name, language, content.offtopic.questions, _OTHER_WORDINGS)
    asked = [one.text for one in read_evaluated() if one.language == language and one.topics[0] not in read_facts()]
    return [*drawn, [*others, *asked]]


def _drawn(name: str, language: str, templates: Sequence[str], most: int) -> list[str]:
    """Return `most` wordings of a topic, or one of each template if it has more of these; the same ones in each run."""
    rng = random.Random(f"{language} {name}")
    templates = [*templates, *read_wordings(language).get(name, ()), *read_short(language).get(name, ())]
    drawn = (draw(template, rng) for _ in range(_DRAWS) for template in templates)
    different = {normalised(text): text for text in drawn}
    return list(different.values())[: max(most, len(templates))]
