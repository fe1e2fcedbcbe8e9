"""The help of Tandem, and what it corrects."""

from __future__ import annotations

import pytest

from app.session.tandem_help import correction, known_facts
from resources.starter.recipe.content import LANGUAGES, read_content, read_facts


@pytest.mark.first
def test_the_help_has_a_question_and_an_answer_in_each_language() -> None:
    facts = known_facts()
    assert len(facts) == len(read_facts())
    for language in LANGUAGES:
        questions = [fact.questions[language] for fact in facts]
        assert len({*questions}) == len(facts)
        assert all(question.endswith(("?", "？")) for question in questions)
        assert all(fact.answers[language][0] for fact in facts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_of_what_the_help_knows_has_the_help(language: str) -> None:
    content = read_content(language)
    question = {"en": "How do I make a folder?", "ko": "폴더는 어떻게 만들어?", "ja": "フォルダはどう作るの？"}
    asked = question.get(language, "怎么新建文件夹？")
    assert correction(asked, content.offtopic.answer) == content.topics["folders"].answer


def test_of_a_question_in_characters_of_two_languages_the_answer_tells_the_language() -> None:
    for language in ("ja", "zh"):
        right = read_content(language).topics["is-it-free"].answer
        assert correction("免費？", right) == ""
        assert correction("無料？", right) == ""
