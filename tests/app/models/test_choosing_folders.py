"""A folder of models that a person chooses in the picker, or whose path is pasted, is listed and its model loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.library.hub_options import LibraryPaths
from app.library.library import Library
from tests.app.window_driver import WindowDriver
from tests.app.window_parts import PickerDriver, button, entry
from tests.engine.model_files.model_folders import model_files, write_folder
from tests.tiny_gguf import pretend_conversion, write_gguf


@pytest.fixture
def window(hub_settings: WindowDriver, library: Library, qtbot: QtBot) -> WindowDriver:
    qtbot.waitUntil(lambda: library.inventory is not None)
    return hub_settings


def write(folder: Path) -> Path:
    return write_folder(folder, model_files())


def loading(window: WindowDriver) -> str:
    pair = window.session.models.pair
    return pair.wanted or pair.paths[0]


def choose(window: WindowDriver, what: str, chosen: Path) -> PickerDriver:
    """Choose a folder or a file with the menu of the picker."""
    picker = window.picker("main")
    picker.open()
    opening = button(picker.picker, "Open…")
    assert isinstance(opening, QPushButton)
    with window.file_dialog(chosen):
        entry(opening.menu(), what).trigger()
    return picker


def test_a_chosen_folder_with_one_model_is_loaded_with_three_clicks(
    window: WindowDriver, tmp_path: Path, qtbot: QtBot, library: Library
) -> None:
    folder = write(tmp_path / "my model")
    picker = choose(window, "Model folder…", folder)
    qtbot.waitUntil(lambda: loading(window) == str(folder))
    assert not picker.picker.isVisible()
    assert library.settings.values.model_folders == (str(folder),)


def test_a_folder_with_several_models_shows_them(window: WindowDriver, tmp_path: Path, qtbot: QtBot) -> None:
    for name in ("first", "second"):
        write(tmp_path / "mine" / name)
    picker = choose(window, "Model folder…", tmp_path / "mine")
    qtbot.waitUntil(lambda: [choice.id for choice in picker.choices] == ["first", "second"])
    assert picker.picker.isVisible()


@pytest.mark.parametrize(
    ("what", "converted"), [("Model folder…", False), ("Model folder…", True), ("GGUF file…", False)]
)
def test_a_gguf_file_is_loaded_or_what_was_made_of_it(
    what: str, converted: bool, window: WindowDriver, paths: LibraryPaths, tmp_path: Path, qtbot: QtBot
) -> None:
    file = write_gguf(tmp_path / "mine" / "tiny.gguf")
    assert paths.cache is not None
    wanted = pretend_conversion(file, paths.cache) if converted else file
    picker = choose(window, what, file if what == "GGUF file…" else file.parent)
    qtbot.waitUntil(lambda: loading(window) == str(wanted))
    assert not picker.picker.isVisible()


@pytest.mark.parametrize("end", ["", "/config.json"])
def test_a_pasted_path_is_added_with_return(window: WindowDriver, tmp_path: Path, qtbot: QtBot, end: str) -> None:
    folder = write(tmp_path / "mine" / "model")
    picker = window.picker("main")
    picker.open()
    picker.field.setText(f"{folder}{end}")
    assert picker.note_text == f"Press Enter to add {folder}."
    QTest.keyClick(picker.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: loading(window) == str(folder))


def test_an_empty_folder_says_so(window: WindowDriver, tmp_path: Path, qtbot: QtBot) -> None:
    picker = window.picker("main")
    picker.open()
    picker.field.setText(str(tmp_path))
    QTest.keyClick(picker.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: picker.note_text == f"No models were found in {tmp_path}.")


def test_a_path_in_the_search_of_the_page_is_listed_with_return_and_not_searched(
    page: Any, library: Library, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = write(tmp_path / "model")
    QTest.keyClicks(page.field, str(folder))
    assert page.empty.text() == f"Press Enter to add {folder}."
    assert not library.hub_search.searched.text
    assert not library.settings.values.model_folders
    QTest.keyClick(page.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [card.entry.path for card in page.cards][:1] == [str(folder)])
    assert not page.field.text()
