"""A page of an answer opens in the browser once a person has agreed, from a private file that is removed again."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.system import opened_pages
from app.system.opened_pages import remove_pages
from app.transcript.code_block import CodeBlock
from tests.app.conftest import Show

pytestmark = pytest.mark.usefixtures("plain_code")

PAGE = '<meta charset="euc-kr"><script>alert(1)</script><p>안녕'


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that the browser was asked to open."""
    found: list[Path] = []

    def open_url(url: QUrl) -> bool:
        found.append(Path(url.toLocalFile()))
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    return found


@pytest.fixture
def block(show: Show[CodeBlock], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CodeBlock:
    monkeypatch.setattr(opened_pages, "cache_folder", lambda: tmp_path / "cache")
    made = show(CodeBlock())
    made.show_code(PAGE, "html", closed=True)
    return made


def answer(block: CodeBlock, words: str) -> None:
    """Press the button, and answer its question, while the answer goes on."""
    block.page_button.click()
    [question] = block.findChildren(QMessageBox)
    assert "scripts run" in question.informativeText()
    block.show_code(f"{PAGE}<p>More", "html", closed=True)
    next(button for button in question.buttons() if button.text() == words).click()


def test_a_page_is_opened_from_a_private_file_that_is_removed(
    block: CodeBlock, opened: list[Path], qtbot: QtBot
) -> None:
    answer(block, "Open")
    qtbot.waitUntil(lambda: bool(opened))
    [page] = opened
    # The mark at its beginning says more than the encoding that the page names.
    assert page.read_bytes() == b"\xef\xbb\xbf" + PAGE.encode()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (page, page.parent)] == [0o600, 0o700]
    remove_pages()
    assert not page.exists()


def test_pages_that_cannot_be_removed_are_named(
    block: CodeBlock,
    opened: list[Path],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer(block, "Open")
    qtbot.waitUntil(lambda: bool(opened))
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        remove_pages()
    assert str(opened[0].parent) in caplog.text
    caplog.clear()
    remove_pages()
    assert not opened[0].exists()


def test_nothing_is_opened_or_written_without_consent(block: CodeBlock, opened: list[Path], tmp_path: Path) -> None:
    answer(block, "Cancel")
    assert opened == []
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_cannot_be_written_says_so(
    block: CodeBlock, opened: list[Path], tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "cache").write_text("a file")
    answer(block, "Open")
    qtbot.waitUntil(lambda: block.page_button.text() == "Could not be opened")
    assert opened == []
    block.page_button.click()
    assert block.page_button.text() == "Open in the browser…"
