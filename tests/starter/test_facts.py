"""One file of facts: the window, the README and what reads documents agree with the help."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.window.actions import ACTIONS
from engine.documents.formats import format_of
from resources.starter.recipe.content import LANGUAGES, help_of, read_facts
from tests.app.translation_files import forms, messages

README = Path(__file__).parents[2] / "README.md"
FACTS = read_facts()


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
            answer = help_of(name, language)
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
        assert name in help_of("attach-file", "en")
    export = next(action for actions in ACTIONS.values() for action in actions if action.id == "export-chat")
    for kind in ("Markdown", "HTML", "JSON", "PDF"):
        assert kind in "".join(export.texts)
        for language in LANGUAGES:
            assert kind in help_of("export-chat", language)
    for language in LANGUAGES:
        assert all(name in help_of("attach-file", language) for name in endings)
