"""The help of Tandem: its questions and answers in each language."""

from __future__ import annotations

import pytest

from app.session.tandem_help import help_answer, is_refusal, known_facts, refusal
from app.settings.declarations import PAGES
from app.window.actions import ACTIONS
from resources.starter.recipe.content import LANGUAGES, read_facts


@pytest.mark.first
def test_the_help_has_a_question_and_an_answer_in_each_language() -> None:
    facts = known_facts()
    assert len(facts) == len(read_facts())
    for language in LANGUAGES:
        questions = [fact.questions[language] for fact in facts]
        assert len({*questions}) == len(facts)
        assert all(question.endswith(("?", "？")) for question in questions)
        assert len({fact.answers[language] for fact in facts}) == len(facts)
        assert all(fact.wordings[language] for fact in facts)


def test_an_answer_of_the_help_is_known_by_its_text_in_any_language() -> None:
    for fact in known_facts():
        for language, text in fact.answers.items():
            assert help_answer(f"{text}\n") == (fact, language)
            assert help_answer(text[:-1]) is None
            assert not is_refusal(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_the_starter_declines_is_no_answer_of_the_help(language: str) -> None:
    assert is_refusal(refusal(language))
    assert help_answer(refusal(language)) is None


def test_each_place_that_the_help_leads_to_is_there() -> None:
    actions = {action.id for actions in ACTIONS.values() for action in actions}
    for fact in known_facts():
        assert fact.page in {"", *PAGES}
        assert fact.action in {"", *actions}
        assert not (fact.page and fact.action)
        assert fact.has_place == bool(fact.page or fact.action)
