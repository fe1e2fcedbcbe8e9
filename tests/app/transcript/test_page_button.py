"""A page of an answer opens in the browser once a person has agreed, from a private file that is removed again."""

from __future__ import annotations

import base64
import json
import shutil
import stat
import zlib
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


DIAGRAM = "graph TD\n  A[시작] --> B{ok?}\n"


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that the browser was asked to open."""
    found: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: found.append(url.toString()) or True)
    return found


@pytest.fixture
def diagram(show: Show[CodeBlock]) -> CodeBlock:
    made = show(CodeBlock())
    made.show_code(DIAGRAM, "mermaid", closed=True)
    return made


def _answer_about_diagram(block: CodeBlock, words: str) -> None:
    block.mermaid_button.click()
    [question] = block.findChildren(QMessageBox)
    assert "scripts read it" in question.informativeText()
    next(button for button in question.buttons() if button.text() == words).click()


def test_a_diagram_is_opened_at_an_address_that_has_its_text_in_what_is_not_sent(
    diagram: CodeBlock, addresses: list[str]
) -> None:
    assert diagram.page_button.isHidden()
    _answer_about_diagram(diagram, "Open")
    [address] = addresses
    sent, _, packed = address.partition("#pako:")
    assert sent == "https://mermaid.live/edit"
    state = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))))
    assert state["code"] == DIAGRAM


def test_a_diagram_is_not_opened_without_consent(diagram: CodeBlock, addresses: list[str]) -> None:
    _answer_about_diagram(diagram, "Cancel")
    assert addresses == []


@pytest.mark.parametrize(
    ("source", "language", "closed"),
    [(DIAGRAM, "mermaid", False), (DIAGRAM, "text", True), ("  ", "mermaid", True), ("x" * 30_000, "mermaid", True)],
)
def test_only_a_whole_diagram_can_be_opened(show: Show[CodeBlock], source: str, language: str, closed: bool) -> None:
    block = show(CodeBlock())
    block.show_code(source, language, closed=closed)
    assert block.mermaid_button.isHidden()
