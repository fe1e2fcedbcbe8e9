"""The .ts files: complete, current, with the same placeholders as their sources, and loaded live."""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QLocale

from app.actions import ACTIONS, MENUS
from app.system.language import LANGUAGES, best_language, compiled
from app.system.paths import translation_sources

if TYPE_CHECKING:
    from app.widgets.application import Application

ROOT = Path(__file__).resolve().parents[2]
ACCELERATOR = re.compile(r"(?<!&)&([^&\s])")
PLACEHOLDER = re.compile(r"\{[^}]*\}|%n|%[0-9]|</?b>")


def messages(language: str) -> Iterator[tuple[str, ElementTree.Element]]:
    tree = ElementTree.parse(translation_sources() / f"tandem_{language}.ts")
    for context in tree.getroot().iter("context"):
        for message in context.iter("message"):
            yield context.findtext("name") or "", message


def forms(message: ElementTree.Element) -> list[str]:
    translation = message.find("translation")
    assert translation is not None
    plural = [form.text or "" for form in translation.iter("numerusform")]
    return plural or [translation.text or ""]


def test_the_files_hold_exactly_the_strings_of_the_sources(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("update", ROOT / "i18n" / "update.py")
    assert spec is not None
    assert spec.loader is not None
    update = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(update)
    for file in translation_sources().glob("*.ts"):
        shutil.copy(file, tmp_path)
    update.update(tmp_path)
    for file in translation_sources().glob("*.ts"):
        assert (tmp_path / file.name).read_text() == file.read_text(), f"run python i18n/update.py for {file.name}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_unfinished_vanished_or_empty(language: str) -> None:
    for context, message in messages(language):
        translation = message.find("translation")
        assert context, message.findtext("source")
        assert translation is not None
        assert translation.get("type") is None, message.findtext("source")
        assert all(form.strip() for form in forms(message)), message.findtext("source")


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders_are_those_of_the_source(language: str) -> None:
    for _, message in messages(language):
        source = message.findtext("source") or ""
        for form in forms(message):
            assert sorted(PLACEHOLDER.findall(form)) == sorted(PLACEHOLDER.findall(source)), source


@pytest.mark.parametrize("language", LANGUAGES)
def test_plurals_have_as_many_forms_as_the_language(language: str) -> None:
    for _, message in messages(language):
        if message.get("numerus"):
            assert len(forms(message)) == (2 if language == "en" else 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_accelerators_are_unique_in_a_menu(language: str, qapp: Application) -> None:
    """The letter after "&" opens a menu's entry; two entries of one menu with the same letter would hide each other."""
    qapp.language.choose(language)
    for menu in (*MENUS, None):
        texts = [spec.text for spec in ACTIONS if spec.menu == menu] if menu else list(MENUS.values())
        shown = [QCoreApplication.translate("Actions", text) for text in texts]
        letters = [found.casefold() for text in shown for found in ACCELERATOR.findall(text)]
        assert len(letters) == len(set(letters)), menu


def test_every_translated_string_is_a_literal() -> None:
    for file in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "tr":
                assert isinstance(node.args[0], ast.Constant), f"{file.name}:{node.lineno}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_compiled_on_first_use_into_the_cache(language: str, own_home: Path) -> None:
    file = compiled(language)
    assert file is not None
    assert own_home in file.parents
    assert file.stat().st_size > 0
    assert compiled(language) == file


def test_switching_the_language_changes_texts_plurals_and_numbers(qapp: Application) -> None:
    def guess(count: int) -> str:
        source = "Guessing %n token(s) at a time: each round brings {tokens} tokens."
        return QCoreApplication.translate("Guessing", source, "", count)

    assert guess(1).startswith("Guessing 1 token at")
    assert guess(5).startswith("Guessing 5 tokens at")
    qapp.language.choose("ko")
    assert guess(5).startswith("한 번에 5토큰")
    assert QLocale().language() == QLocale.Language.Korean
    qapp.language.choose("ja")
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "キャンセル"


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (["ko-KR"], "ko"),
        (["zh-Hans-CN", "en-US"], "zh_CN"),
        (["zh-TW", "ja-JP"], "ja"),
        (["de-DE", "fr"], "en"),
        ([], "en"),
        (["en-GB", "ko"], "en"),
    ],
)
def test_the_first_language_we_have_is_taken(wanted: list[str], code: str) -> None:
    assert best_language(wanted) == code
