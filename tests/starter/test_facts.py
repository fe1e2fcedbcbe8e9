"""One file of facts: the window, the README, what reads documents, and the notes below the Starter's answers agree."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from app.session.tandem_help import correction, facts_for
from app.window.actions import ACTIONS
from engine.documents.formats import format_of
from resources.starter.recipe.content import (
    LANGUAGES,
    read_content,
    read_facts,
    read_newcomer,
    read_strangers,
    read_wordings,
)
from resources.starter.recipe.templates import draw
from tests.app.translation_files import forms, messages
from tests.engine.tiers import by_tier

README = Path(__file__).parents[2] / "README.md"
FACTS = read_facts()
NAMED = [name for name, fact in FACTS.items() if "words" in fact]
# Other questions with the words of a fact, as a share of the Starter's other wordings; 0.0045 measured.
MISTAKEN = 0.006
# Of what strangers ask about a fact, the share that names it; 0.82, 0.91, 0.89 and 0.86 measured.
STRANGERS = {"en": 0.8, "ko": 0.9, "ja": 0.88, "zh": 0.85}
# Of what they ask about other things, the share that names a fact by chance, such as a poem about two Macs; 0.042,
# 0.055, 0.041 and 0.055 measured.
MISTAKEN_STRANGERS = 0.06


def translations(language: str, text: str) -> set[str]:
    """Return how a text of the window is called there, in any place."""
    if language == "en":
        return {text}
    folder = {"zh": "zh_CN"}.get(language, language)
    return {form for _, message in messages(folder) if message.findtext("source") == text for form in forms(message)}


HELP = [(name, language) for name, fact in FACTS.items() for language in LANGUAGES if "help" in fact[language]]


@pytest.mark.parametrize("name", [name for name, fact in FACTS.items() if "shown" in fact])
def test_a_fact_names_what_the_window_shows(name: str) -> None:
    for text in FACTS[name]["shown"]:
        assert translations("ko", text), text
        for language in LANGUAGES:
            answer = FACTS[name][language]["answer"]
            assert any(form in answer for form in translations(language, text)), (language, text)


def test_the_readme_says_the_same() -> None:
    readme = " ".join(README.read_text(encoding="utf-8").split())
    said = [fact["readme"] for fact in FACTS.values() if "readme" in fact]
    assert len(said) >= 8
    assert [sentence for sentence in said if sentence not in readme] == []


def test_the_documents_and_exports_that_are_named_are_there() -> None:
    endings = {"PDF": ".pdf", "Office": ".docx", "EPUB": ".epub", "HTML": ".html"}
    others = {"mail": ".eml", "notebook": ".ipynb"}
    for name, ending in (endings | others).items():
        assert format_of(f"a{ending}") is not None, ending
        assert name in FACTS["attach-file"]["en"]["answer"]
    export = next(action for actions in ACTIONS.values() for action in actions if action.id == "export-chat")
    for kind in ("Markdown", "HTML", "JSON", "PDF"):
        assert kind in "".join(export.texts)
        for language in LANGUAGES:
            assert kind in FACTS["export-chat"][language]["answer"]
    for language in LANGUAGES:
        assert all(name in FACTS["attach-file"][language]["answer"] for name in endings)


def test_what_newcomers_ask_about_a_fact_names_it() -> None:
    for question in read_newcomer():
        if "GB" in question.text:
            continue
        facts = facts_for(question.text)
        if not set(question.topics) & set(NAMED):
            assert not facts, question
        elif set(question.topics) <= set(NAMED):
            assert question.is_answered_by(facts[0]), question
        else:
            assert not facts or question.is_answered_by(facts[0]), question


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_strangers_ask_about_a_fact_names_it(language: str) -> None:
    questions = [question for question in read_strangers() if question.language == language]
    about = [question for question in questions if set(question.topics) & set(NAMED)]
    named = [question for question in about if facts_for(question.text)]
    right = [question for question in named if any(map(question.is_answered_by, facts_for(question.text)))]
    assert len(right) >= STRANGERS[language] * len(about)
    assert [question.text for question in named if question not in right] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_little_of_what_strangers_ask_of_other_things_is_corrected(language: str) -> None:
    others = [question for question in read_strangers() if question.language == language and question.is_offtopic]
    assert len(others) >= 20
    corrected = [question.text for question in others if correction(question.text, "I do not know.")]
    assert len(corrected) <= MISTAKEN_STRANGERS * len(others), corrected


def test_an_answer_about_another_part_that_the_question_names_is_not_corrected() -> None:
    question = "Can I import chats and export them later?"
    imported, exported = (FACTS[name]["en"]["answer"] for name in ("import-chats", "export-chat"))
    assert facts_for(question) == (imported, exported)
    assert correction(question, exported) == ""
    assert correction(question, "No.") == imported


def test_an_answer_that_is_right_as_well_is_not_corrected() -> None:
    better = read_content("en").topics["better-models"].answer
    assert correction("Which model should I download?", better) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_long_answer_that_the_window_demonstrates_is_not_corrected(language: str) -> None:
    topic, rng = read_content(language).at_length, Random(3)
    questions = [topic.questions[0], *(draw(template, rng) for template in topic.questions for _ in range(20))]
    assert [question for question in questions if correction(question, f"{topic.answer}\n")] == []


@pytest.mark.parametrize(("name", "language"), HELP)
def test_an_answer_that_was_learned_imprecisely_is_corrected(name: str, language: str) -> None:
    fact = FACTS[name][language]
    questions = [question for question in read_newcomer() if question.language == language and name in question.topics]
    assert len(questions) > 0
    for question in questions:
        corrections = [correction(question.text, fact[kind]) for kind in ("answer", "help")]
        assert corrections == [fact["help"] if fact.get("imprecise") else "", ""]


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "How do I turn on offline mode?"),
        ("en", "Can I block all connections?"),
        ("ko", "인터넷 연결을 완전히 막을 수 있어?"),
        ("ja", "通信を禁止できる？"),
        ("zh", "能禁止一切连接吗？"),
    ],
)
def test_an_answer_that_working_offline_forbids_all_connections_is_corrected(language: str, question: str) -> None:
    (followup,) = read_content(language).topics["offline"].followups
    shown = correction(question, followup.answer)
    for text in ("Work offline", "Privacy and network"):
        assert any(form in shown for form in translations(language, text)), text


@pytest.mark.parametrize(
    ("language", "question"), [("en", "When does it?"), ("ko", "언제?"), ("ja", "いつ？"), ("zh", "什么时候？")]
)
def test_an_answer_that_was_right_once_is_corrected_whatever_was_asked(language: str, question: str) -> None:
    outdated = FACTS["offline"][language]["outdated"]
    learned = {followup.answer for topic in read_content(language).topics.values() for followup in topic.followups}
    assert set(outdated) <= learned
    assert {correction(question, text) for text in outdated} == {FACTS["offline"][language]["help"]}


@pytest.mark.full
@pytest.mark.parametrize("language", by_tier(LANGUAGES, ("zh",)))
def test_few_other_questions_name_a_fact(language: str) -> None:
    draws, content = Random(1), read_content(language)
    others = [topic for topic in (*content.topics.values(), content.offtopic) if topic.name not in NAMED]
    wordings = [one for topic in others for one in (*topic.questions, *read_wordings(language).get(topic.name, ()))]
    named = [question for wording in wordings if facts_for(question := draw(wording, draws))]
    assert len(named) <= MISTAKEN * len(wordings)


def test_an_answer_that_says_something_else_is_corrected() -> None:
    fact = FACTS["gguf"]["ko"]["answer"]
    asked = "GGUF 파일을 열 수 있나요?"
    assert correction(asked, "모델은 GGUF가 아니라 MLX 형식이어야 해요.") == fact
    assert correction(asked, f"{fact}\n") == ""
    assert correction("What is Tandem?", "An app.") == ""


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Why is it so slow?"),
        ("ko", "답이 너무 느려"),
        ("ja", "もっと速く答えさせるには？"),
        ("zh", "怎么让它更快一点"),
    ],
)
def test_what_other_subjects_name_as_well_is_corrected_unless_it_is_refused(language: str, question: str) -> None:
    content = read_content(language)
    learned, refusal = content.topics["temperature"].answer, content.offtopic.answer
    corrections = [correction(question, text) for text in (learned, refusal, "8 + 7 = 15")]
    assert corrections == [FACTS["slow"][language]["answer"], "", ""]


@pytest.mark.parametrize(("asked", "word"), [("Summarize this: ", "gguf"), ("이 글을 요약해 주세요: ", "폴더")])
def test_a_pasted_text_that_names_a_fact_is_not_corrected(asked: str, word: str) -> None:
    assert facts_for(f"{asked}{word}")
    pasted = f"{asked}{word} {'lorem ipsum ' * 30}"
    assert facts_for(pasted) == ()
    assert correction(pasted, "A text.") == ""


def test_blank_lines_around_a_question_do_not_make_it_long() -> None:
    question = "How do I make a folder?"
    assert facts_for(question + "\n" * 400) == facts_for(question) != ()
