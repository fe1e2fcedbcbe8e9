"""The .ts files: complete, current, with the same placeholders as their sources."""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication

from app.actions.spec import MENUS, SUBMENUS
from app.system.language import LANGUAGES
from app.widgets.application import Application
from app.window.actions import ACTIONS
from tests.app.translation_files import SOURCES, forms, messages

ROOT = Path(__file__).resolve().parents[2]
ACCELERATOR = re.compile(r"(?<!&)&([^&\s])")
PLACEHOLDER = re.compile(r"\{[^}]*\}|%Ln|%[0-9]|</?b>")


def test_the_files_hold_exactly_the_strings_of_the_sources(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("update", ROOT / "i18n" / "update.py")
    assert spec is not None
    assert spec.loader is not None
    update = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(update)
    for file in SOURCES.glob("*.ts"):
        shutil.copy(file, tmp_path)
    update.update(tmp_path)
    for file in SOURCES.glob("*.ts"):
        assert (tmp_path / file.name).read_text() == file.read_text(), f"run python i18n/update.py for {file.name}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_finished_with_the_placeholders_and_plural_forms_of_its_source(language: str) -> None:
    for context, message in messages(language):
        source, translation = message.findtext("source") or "", message.find("translation")
        assert context, source
        # Qt groups the digits of %Ln only.
        assert "%n" not in source
        assert translation is not None
        assert translation.get("type") is None, source
        assert all(form.strip() for form in forms(message)), source
        for form in forms(message):
            assert sorted(PLACEHOLDER.findall(form)) == sorted(PLACEHOLDER.findall(source)), source
        if message.get("numerus"):
            assert len(forms(message)) == (2 if language == "en" else 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_accelerators_are_unique_in_a_menu(language: str, qapp: Application) -> None:
    """The letter after "&" opens a menu's entry; two entries of one menu with the same letter would hide each other."""
    qapp.language.choose(language)
    for menu in (*MENUS, None):
        texts = [spec.text for spec in ACTIONS[menu]] if menu else [*MENUS.values(), *SUBMENUS.values()]
        shown = [QCoreApplication.translate("Actions", text) for text in texts]
        letters = [found.casefold() for text in shown for found in ACCELERATOR.findall(text)]
        assert len(letters) == len(set(letters)), menu


def test_every_translated_string_is_a_literal() -> None:
    for file in (ROOT / "app").rglob("*.py"):
        source = file.read_text()
        for node in ast.walk(ast.parse(source)) if re.search(r"\b(?:tr|bound)\(", source) else ():
            name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
            # `ThemeAware` itself translates what is passed to `bound`.
            if isinstance(node, ast.Call) and name in ("tr", "bound") and file.name != "theme_aware.py":
                assert isinstance(node.args[0], ast.Constant), f"{file.name}:{node.lineno}"
