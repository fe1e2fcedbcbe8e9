"""Files that are attached to a question."""

from __future__ import annotations

import threading
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QToolButton

from app.conversations.conversation_list import ConversationList
from app.conversations.database.records import Attachment
from app.session.attachments import read_attachment
from app.sidebar.pane import ChatPane
from app.text.file_texts import NotAttachable, with_extent
from engine.documents.reading import DOCUMENTS
from engine.documents.text.parts import Extent
from engine.files.reading_time import ReadSoFar
from tests.app.conftest import OpenWindow
from tests.app.pdf_files import pdf
from tests.app.picture_files import picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import texts
from tests.engine.tiers import by_tier
from tests.slow_files import slow_pdf


@pytest.mark.full
def test_pasted_files_go_with_the_question_and_come_back_with_the_chat(open_window: OpenWindow, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print('초안')\n")
    pdf("First page.", "", "Last page.").write(tmp_path / "paper.pdf")
    engine = ScriptedEngine([Script("It prints.")])
    window = open_window(engine)
    for count, name in enumerate(("main.py", "paper.pdf"), 1):
        window.paste(tmp_path / name)
        window.wait(lambda count=count: len(window.attached) == count)
    window.ask_and_wait("What does it do?")
    assert engine.requests[-1].messages[-1]["content"] == (
        "main.py\n```\nprint('초안')\n```\n\npaper.pdf\n```\nFirst page.\n\nLast page.\n```\n\nWhat does it do?"
    )
    assert window.composer.files.attachments == ()
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: bool(window.session.chat.turns))
    assert [file.name for file in window.session.chat.turns[0].attachments] == ["main.py", "paper.pdf"]


def test_a_folder_that_a_program_saves_as_a_file_says_how_to_export_it(start_chat: StartChat, tmp_path: Path) -> None:
    (tmp_path / "notes.pages").mkdir()
    window = start_chat(ScriptedEngine())
    window.paste(tmp_path / "notes.pages")
    window.wait(lambda: "Open it in Pages and export it as PDF." in window.banner_text)


def test_a_file_goes_without_words(start_chat: StartChat, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print()\n")
    engine = ScriptedEngine([Script("It prints."), Script("Again."), Script("Short.")])
    window = start_chat(engine)
    session, edit = window.session, window.edit
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert not session.chat.turns
    window.paste(tmp_path / "main.py")
    window.wait(lambda: window.is_enabled("send"))
    QTest.keyClick(edit, Qt.Key.Key_Return)
    window.wait_until_answered()
    assert engine.requests[-1].messages[-1]["content"] == "main.py\n```\nprint()\n```"
    window.settle()
    bubble = window.turn().bubble
    assert bubble.text.isHidden()
    assert "main.py" in [label.text() for label in bubble.findChildren(QLabel)]
    assert [chat.title for chat in session.list.chats] == ["main.py"]
    assert not window.is_enabled("send")
    # There is nothing to bring back.
    QTest.keyClick(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == ""
    window.trigger("edit-last")
    editor = window.turn().editor
    QTest.keyClicks(editor.edit, "Shorter?")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    window.wait_until_answered()
    assert engine.requests[-1].messages[-1]["content"].endswith("\n\nShorter?")
    window.wait(lambda: session.answers.ready)
    window.trigger("edit-last")
    editor = window.turn().editor
    editor.edit.clear()
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    window.wait_until_answered()
    assert session.chat.turns[0].question == ""


def test_an_attachment_waits_with_the_draft(open_window: OpenWindow, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("note")
    window = open_window(ScriptedEngine())
    window.write("look at this")
    window.paste(tmp_path / "notes.txt")
    window.wait(lambda: bool(window.composer.files.attachments))
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: window.attached == ["notes.txt"])
    assert window.unsent == "look at this"


@pytest.mark.full
def test_why_nothing_is_attached_is_told_and_is_no_news_after_sending(start_chat: StartChat, tmp_path: Path) -> None:
    window = start_chat(ScriptedEngine([Script("Yes.")]))
    window.settle()
    for name, content, words in (
        ("photo.png", b"\x89PNG\xff\xfe\x00", "photo.png: Tandem can't read this picture"),
        ("real.bin", bytes(range(256)), "real.bin is not a text file"),
    ):
        (tmp_path / name).write_bytes(content)
        window.paste(tmp_path / name)
        window.wait(lambda words=words: words in window.banner_text)
    assert window.composer.files.isHidden()
    window.ask("hello")
    assert window.banner_text == ""


def test_files_say_their_kind_and_whether_they_are_empty_and_go_at_one_click(
    start_chat: StartChat, tmp_path: Path
) -> None:
    window = start_chat(ScriptedEngine())
    for name, content in (("code.py", b"print()"), ("empty.txt", b" \n"), ("red.png", picture("red"))):
        (tmp_path / name).write_bytes(content)
        window.paste(tmp_path / name)
    window.wait(lambda: len(window.attached) == 3)
    row = window.composer.files
    chips = [chip for chip in row.findChildren(QFrame, "attachment") if chip.isVisible()]
    assert [texts(chip)[1:] for chip in chips] == [["PY"], ["TXT", "empty"], ["PNG"]]
    assert len({chip.height() for chip in chips}) == 1
    labels = row.findChildren(QLabel)
    # The model of this test sees no pictures, so the third has no count.
    assert [text.text() for text in labels if text.isVisible() and "files" in text.text()] == ["3 files"]
    buttons = row.findChildren(QToolButton)
    [everything] = [button for button in buttons if button.text() == "Remove all" and button.isVisible()]
    QTest.mouseClick(everything, Qt.MouseButton.LeftButton)
    assert (window.attached, row.isHidden()) == ([], True)
    assert window.edit.hasFocus()


def test_several_files_have_a_sum(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    row = window.composer.files
    files = tuple(Attachment(name, "text/plain", "word") for name in ("a.txt", "b.txt"))
    row.show_files(files)
    row.show_counts({files[0]: 1200, files[1]: 34})
    assert "2 files · 1,234 tokens" in [text.text() for text in row.findChildren(QLabel) if text.isVisible()]
    row.remove(files[0])
    assert not [text for text in row.findChildren(QLabel) if text.isVisible() and "file" in text.text().split()]


def test_the_sum_of_many_files_and_what_removes_them_are_seen_without_scrolling(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    row = window.composer.files
    row.show_files(tuple(Attachment(f"{number}.txt", "text/plain", "word") for number in range(40)))
    seen = [
        part for kind in (QLabel, QToolButton) for part in row.findChildren(kind) if not part.visibleRegion().isEmpty()
    ]
    assert {"40 files", "Remove all"} <= {part.text() for part in seen}
    assert "39.txt" not in {part.text() for part in seen}


def test_several_refused_files_share_one_notice(start_chat: StartChat, tmp_path: Path) -> None:
    window = start_chat(ScriptedEngine())
    for name in ("a.bin", "b.bin", "c.bin"):
        (tmp_path / name).write_bytes(bytes(range(256)))
        window.paste(tmp_path / name)
    window.wait(lambda: all(f"{name} is not" in window.banner_text for name in ("a.bin", "b.bin", "c.bin")))
    assert len(window.notices) == 1


def test_the_reasons_go_with_the_last_file(start_chat: StartChat, tmp_path: Path) -> None:
    window = start_chat(ScriptedEngine())
    (tmp_path / "a.bin").write_bytes(bytes(range(256)))
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("word")
    window.paste(tmp_path / "a.bin", tmp_path / "a.txt", tmp_path / "b.txt")
    window.wait(lambda: window.attached == ["a.txt", "b.txt"] and "a.bin" in window.banner_text)
    row = window.composer.files

    def press(name: str) -> None:
        shown = (button for button in row.findChildren(QToolButton) if button.isVisible())
        next(button for button in shown if button.accessibleName() == f"Remove {name}").click()

    press("a.txt")
    assert "a.bin" in window.banner_text
    press("b.txt")
    assert window.banner_text == ""


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Until it is set, the file `main.py` that is there is being read."""
    gate = threading.Event()

    def slowly(file: Path, *_: object, **_options: object) -> Attachment:
        gate.wait()
        return read_attachment(file)

    monkeypatch.setattr("app.window.chat_parts.attachment_reader.read_attachment", slowly)
    (tmp_path / "main.py").write_text("print()\n")
    return gate


def test_a_question_waits_for_its_file_after_another_chat_was_shown(
    start_chat: StartChat, tmp_path: Path, gate: threading.Event
) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    session, files = window.session, window.composer.files
    first = session.chat
    window.paste(tmp_path / "main.py")
    window.write("What does it do?")
    session.chats.new_chat()
    assert not files.reading
    assert not files.isVisible()
    session.chats.open(first)
    assert files.reading
    assert not window.is_enabled("send")
    session.chats.new_chat()
    gate.set()
    window.wait(lambda: len(first.unsent_attachments) == 1)
    assert files.attachments == ()
    session.chats.open(first)
    assert window.attached == ["main.py"]
    assert window.is_enabled("send")


def test_a_file_can_be_left_behind_while_it_is_being_read(
    start_chat: StartChat, tmp_path: Path, gate: threading.Event
) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.settle()
    window.paste(tmp_path / "main.py")
    (away,) = window.composer.files.findChildren(QToolButton)
    away.click()
    assert not window.composer.files.isVisible()
    window.ask("first")
    gate.set()
    window.wait_until_answered()
    window.wait(lambda: not window.session.busy)
    assert window.composer.files.attachments == ()


def type_words(words: str) -> None:
    """Type into what has the focus, as a person does."""
    for character in words:
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClicks(focused, character)


PRESSED = (Qt.MouseButton.LeftButton, Qt.Key.Key_Space)


@pytest.mark.parametrize(
    ("pressed", "chosen"),
    by_tier(product(PRESSED, (True, False)), [(PRESSED[0], True), (PRESSED[1], False)]),
    ids=["clicked-chosen", "clicked-cancelled", "by key-chosen", "by key-cancelled"],
)
def test_after_the_dialog_for_files_a_person_types_the_message(
    start_chat: StartChat, tmp_path: Path, chosen: bool, pressed: Qt.MouseButton | Qt.Key
) -> None:
    file = tmp_path / "main.py"
    file.write_text("print()\n")
    window = start_chat(ScriptedEngine())
    button = next(one for one in window.composer.findChildren(QToolButton) if one.defaultAction() is not None)
    with window.file_dialog(file if chosen else None):
        button.setFocus()
        if isinstance(pressed, Qt.Key):
            QTest.keyClick(button, pressed)
        else:
            QTest.mouseClick(button, pressed)
        window.wait(lambda: len(window.attached) == chosen)
        type_words("What is it?")
    assert window.unsent == "What is it?"


def test_after_a_file_was_dropped_or_removed_a_person_types_the_message(start_chat: StartChat, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print()\n")
    (tmp_path / "notes.txt").write_text("note")
    window = start_chat(ScriptedEngine())
    files, row = QMimeData(), window.composer.files
    files.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("main.py", "notes.txt")])
    with window.file_dialog(None):
        for view in (window.edit, window.header):
            window.find(ChatPane).list.setFocus()
            assert window.drop(view.mapTo(window.window, view.rect().center()), files)
            window.wait(lambda: len(window.attached) == 2)
            type_words("a b")
            for left in (1, 0):
                away = next(one for one in row.findChildren(QToolButton) if one.isVisible())
                away.setFocus()
                QTest.keyClick(away, Qt.Key.Key_Space)
                window.wait(lambda left=left: len(window.attached) == left)
                type_words(" c")
    assert window.unsent == "a b c ca b c c"


def test_closing_the_window_ends_the_reading_of_files(open_window: OpenWindow, tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(slow_pdf(3000, 2000))
    DOCUMENTS.quick.release()
    window = open_window(ScriptedEngine())
    window.paste(tmp_path / "long.pdf")
    window.paste(tmp_path / "long.pdf")
    window.wait(lambda: DOCUMENTS.quick.pid is not None)
    window.close()
    assert DOCUMENTS.quick.pid is None


def test_files_dropped_anywhere_in_the_window_land_in_the_message_and_words_only_there(
    start_chat: StartChat, tmp_path: Path
) -> None:
    window = start_chat(ScriptedEngine([Script("Some words.\n\n```python\nprint()\n```\n")]))
    window.resize(1440, 900)
    window.ask_and_wait("Question?")
    window.trigger("panel") if window.panel.isHidden() else None
    files, words = QMimeData(), QMimeData()
    turn, header = window.turn(), window.header
    for number, view in enumerate(
        (window.edit, turn.body, window.find(ChatPane).list, window.panel, header, turn.bubble), 1
    ):
        file = tmp_path / f"notes-{number}.txt"
        file.write_text("note")
        files.setUrls([QUrl.fromLocalFile(str(file))])
        assert view.isVisible()
        assert window.drop(view.mapTo(window.window, view.rect().center()), files), view
        window.wait(lambda count=number: len(window.attached) == count)
    words.setText("words")
    assert not window.drop(header.rect().center(), words)
    assert window.unsent == ""
    assert window.drop(window.edit.mapTo(window.window, window.edit.rect().center()), words)
    assert window.unsent == "words"


def test_the_window_says_which_file_of_the_folder_it_waits_for_and_what_it_does_without(
    start_chat: StartChat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.documents.reading.DOCUMENT_S", 0.3)
    window = start_chat(ScriptedEngine([Script("One."), Script("Two.")]))
    session, book = window.session, tmp_path / "book"
    book.mkdir()
    pdf("Page.").write(book / "report.pdf")
    session.list.change(ConversationList.create_folder, "Novel")
    window.settle()
    added = list[object]()
    session.projects.add(session.list.folders[0].id, [str(book)], added.append)
    window.wait(lambda: bool(added))
    window.settle()
    (book / "report.pdf").write_bytes(slow_pdf(3000, 2000))
    session.chats.new_chat(session.list.folders[0])
    window.ask("What is in it?")
    window.wait(lambda: "Reading report.pdf…" in texts(window.transcript))
    window.wait_until_answered()
    assert window.banner_text == "report.pdf takes too long to read, so the chat begins with what it contained before."
    for number in range(7):
        (book / f"{number}.pdf").write_bytes(slow_pdf(3000, 2000))
    monkeypatch.setattr("app.session.project_service.QUESTION_S", 0.0)
    window.ask_and_wait("And now?")
    names = "0.pdf, 1.pdf, 2.pdf, 3.pdf, 4.pdf, and 2 more"
    assert window.banner_text == f"These files take too long to read and were skipped: {names}"


OLD = "Chats begin with what it contained before."


@pytest.mark.parametrize(
    ("reasons", "has_text", "sentence"),
    [
        (["too-slow"], False, "a.pdf takes too long to read and was skipped."),
        pytest.param(
            ["too-much-memory"], False, "a.pdf takes too much memory to read and was skipped.", marks=pytest.mark.full
        ),
        (["no-time"], False, "There was no time left to read a.pdf. The next question tries again."),
        pytest.param(["unreadable"], False, "a.pdf cannot be read.", marks=pytest.mark.full),
        (["unreadable"], True, f"a.pdf cannot be read. {OLD}"),
        pytest.param(["gone"], True, f"a.pdf is no longer there. {OLD}", marks=pytest.mark.full),
        (["unreadable", "too-slow"], True, "Not read: a.pdf and b.pdf"),
    ],
)
def test_what_a_question_goes_on_without_is_named(
    start_chat: StartChat, reasons: list[str], has_text: bool, sentence: str
) -> None:
    window = start_chat(ScriptedEngine())
    errors = [NotAttachable(name, reason) for name, reason in zip(("a.pdf", "b.pdf"), reasons, strict=False)]
    window.session.projects.left_out.emit([(error, has_text) for error in errors])
    assert window.banner_text == sentence


@pytest.mark.full
def test_the_row_of_a_file_says_what_was_left_out_of_its_text(start_chat: StartChat, tmp_path: Path) -> None:
    unseen = "\U000e0048"
    page = f"<meta charset=utf-8><p>Seen{unseen}<p hidden>Unseen<div style='display:none'>Unseen"
    (tmp_path / "page.html").write_text(page, "utf-8")
    window = start_chat(ScriptedEngine())
    window.paste(tmp_path / "page.html")
    window.wait(lambda: bool(window.attached))
    words = "left out: 1 invisible character and 2 hidden passages"
    window.wait(lambda: any(words in shown for shown in texts(window.composer.files)))


def test_a_text_in_a_guessed_encoding_is_read_in_the_one_that_the_person_chooses(
    start_chat: StartChat, tmp_path: Path
) -> None:
    (tmp_path / "list.txt").write_bytes("売上,利益".encode("euc_jp"))
    engine = ScriptedEngine([Script("Read.")])
    window = start_chat(engine)
    window.paste(tmp_path / "list.txt")
    window.wait(lambda: any("read as GB18030" in shown for shown in texts(window.composer.files)))
    (button,) = (one for one in window.composer.files.findChildren(QToolButton) if one.text() == "Read as…")
    (choice,) = (one for one in button.menu().actions() if one.text() == "EUC-JP")
    choice.trigger()
    window.wait(lambda: any("read as EUC-JP" in shown for shown in texts(window.composer.files)))
    window.ask_and_wait("Which?")
    assert engine.requests[-1].messages[-1]["content"].startswith("list.txt\n```\n売上,利益\n```")


def test_a_file_of_another_program_is_refused_with_a_way_out(start_chat: StartChat, tmp_path: Path) -> None:
    (tmp_path / "talk.key").write_bytes(b"PK\x05\x06" + bytes(18))
    window = start_chat(ScriptedEngine())
    window.paste(tmp_path / "talk.key")
    window.wait(lambda: window.banner_text == "Tandem cannot read talk.key. Open it in Keynote and export it as PDF.")


def test_a_row_shows_how_far_a_file_is_read_and_keeps_room_for_its_name(start_chat: StartChat) -> None:
    row = start_chat(ScriptedEngine()).composer.files
    reading = row.begin("contract.pdf")
    assert "reading…" in texts(row)
    reading.time.read_so_far = ReadSoFar("page", 211, 2000)
    row._show_progress()
    assert "reading… page 212 of 2,000" in texts(row)
    pages = tuple(range(1, 213))
    kind = with_extent("application/pdf; recognized=3; uncertain=2", "x", Extent("page", 2000, pages, pages))
    row.finish(reading, Attachment("contract.pdf", f"{kind}; left-out=scanned-page:4,hidden-text:12", "x"))
    [name] = [words for words in row.findChildren(QLabel) if words.text() == "contract.pdf" and words.isVisible()]
    assert name.minimumWidth() > 50
    facts = "pages 1 to 212 of 2,000 · 3 pages recognized from pictures · 2 pages uncertain"
    assert any(words.startswith(facts) for words in texts(row))
