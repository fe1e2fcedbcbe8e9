"""One file of facts: the window, the README, what reads documents, and the notes below the Starter's answers agree."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from app.session.answer import STARTER, Answer
from app.session.starter_facts import fact_for
from app.window.actions import ACTIONS
from engine.documents.formats import format_of
from resources.starter.recipe.content import LANGUAGES, read_content, read_facts, read_newcomer, read_wordings
from resources.starter.recipe.templates import draw
from tests.app.translation_files import forms, messages

README = Path(__file__).parents[2] / "README.md"
FACTS = read_facts()
NAMED = [name for name, fact in FACTS.items() if "words" in fact]
# Other questions with the words of a fact, as a share of the Starter's other wordings; 0.009 measured.
MISTAKEN = 0.012


def translations(language: str, text: str) -> set[str]:
    """Return how a text of the window is called there, in any place."""
    if language == "en":
        return {text}
    folder = {"zh": "zh_CN"}.get(language, language)
    return {form for _, message in messages(folder) if message.findtext("source") == text for form in forms(message)}


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
        answers = [FACTS[name][question.language]["answer"] for name in question.topics if name in NAMED]
        fact = fact_for(question.text)
        assert fact in answers if answers else not fact, question


@pytest.mark.parametrize("language", LANGUAGES)
def test_few_other_questions_name_a_fact(language: str) -> None:
    draws, content = Random(1), read_content(language)
    others = [topic for topic in (*content.topics.values(), content.offtopic) if topic.name not in NAMED]
    wordings = [one for topic in others for one in (*topic.questions, *read_wordings(language).get(topic.name, ()))]
    named = [question for wording in wordings if fact_for(question := draw(wording, draws))]
    assert len(named) <= MISTAKEN * len(wordings)


def test_an_answer_that_says_something_else_is_corrected() -> None:
    fact = FACTS["gguf"]["ko"]["answer"]
    asked = "GGUF 파일을 열 수 있나요?"
    assert Answer(model=STARTER, question=asked, text="모델은 GGUF가 아니라 MLX 형식이어야 해요.").correction == fact
    assert Answer(model=STARTER, question=asked, text=f"{fact}\n").correction == ""
    assert Answer(model="org/other", question=asked, text="아니요.").correction == ""
    assert Answer(model=STARTER, question="What is Tandem?", text="An app.").correction == ""
    assert Answer(model=STARTER, question="Write a script that opens GGUF files", text="No.").correction == ""


@pytest.mark.parametrize(("asked", "word"), [("Summarize this: ", "folder"), ("이 글을 요약해 주세요: ", "폴더")])
def test_a_pasted_text_that_names_a_fact_is_not_corrected(asked: str, word: str) -> None:
    assert fact_for(f"{asked}{word}")
    pasted = f"{asked}{word} {'lorem ipsum ' * 30}"
    assert fact_for(pasted) == ""
    assert Answer(model=STARTER, question=pasted, text="A text.").correction == ""


def test_blank_lines_around_a_question_do_not_make_it_long() -> None:
    question = "How do I make a folder?"
    assert fact_for(question + "\n" * 400) == fact_for(question) != ""
