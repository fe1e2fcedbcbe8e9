"""The quick entry: a small window that answers in place, opened by keys that work in every program."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QProcess, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QKeySequenceEdit, QWidget

from app.conversations.store import ConversationStore
from app.settings_window import general_page
from app.settings_window.table_page import TablePage
from app.system.hot_key import HotKey
from app.widgets.application import Application
from app.window import quick_entry
from app.window.quick_entry import QuickEntry
from tests.app.conftest import OpenWindow
from tests.app.picture_files import picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import FULL, PLAIN, STORY, Script
from tests.app.shared_window import StartChat
from tests.app.system.carbon import Carbon
from tests.app.system.cocoa import FULL_SCREEN_AUXILIARY, JOINS_ALL_SPACES, NONACTIVATING, Cocoa
from tests.app.window_driver import WindowDriver, texts
from tests.app.window_parts import TurnDriver
from tests.engine.tiers import by_tier

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support raise")
SPACE, HELD = Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
COMMAND_OPTION_SPACE = (0x31, 0x900)


@pytest.fixture
def carbon(monkeypatch: pytest.MonkeyPatch) -> Carbon:
    """macOS, as far as shortcuts go."""
    carbon = Carbon()
    shortcut = HotKey(carbon)
    for module in (general_page, quick_entry):
        monkeypatch.setattr(module, "hot_key", lambda: shortcut)
    return carbon


def answered(window: WindowDriver) -> WindowDriver:
    window.ask_and_wait("first")
    return window


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])


@pytest.fixture
def window(start_chat: StartChat, engine: ScriptedEngine) -> WindowDriver:
    return answered(start_chat(engine))


@pytest.fixture
def own_window(open_window: OpenWindow, engine: ScriptedEngine) -> WindowDriver:
    """A window that the test closes, or that asks the system for something when it is made."""
    return answered(open_window(engine))


def opened(window: WindowDriver) -> QuickEntry:
    window.trigger("quick-entry")
    entry = window.find(QuickEntry)
    assert entry.isVisible()
    return entry


@pytest.mark.full
def test_the_field_says_whether_a_message_begins_a_chat_or_continues_one(
    window: WindowDriver, qapp: Application
) -> None:
    entry = opened(window)
    assert entry.edit.placeholderText() == "Message for a new chat"
    enter(entry, "Hello")
    wait_for(window, entry, ("Hello", "Two."))
    assert entry.edit.placeholderText() == entry.edit.accessibleName() == "Message in this chat"
    qapp.language.choose("ja")
    window.wait(lambda: entry.edit.placeholderText() == "このチャットへのメッセージ")


def enter(entry: QuickEntry, text: str) -> None:
    QTest.keyClicks(entry.edit, text)
    QTest.keyClick(entry.edit, Qt.Key.Key_Return)


def wait_for(window: WindowDriver, entry: QuickEntry, *turns: tuple[str, str]) -> None:
    """Wait until the entry shows these questions with their answers."""

    def shown() -> list[tuple[str, str]]:
        ended = [turn for turn in entry.chat.turns if turn.answer.ended]
        return [(turn.question, TurnDriver(entry.answers.view(turn)).text) for turn in ended]

    window.wait(lambda: shown() == list(turns))
    assert entry.answers.isVisible()


def test_the_answer_appears_in_place_and_return_goes_on_in_the_same_chat(window: WindowDriver) -> None:
    window.showMinimized()
    entry = opened(window)
    height = entry.height()
    assert "main" in texts(entry)
    enter(entry, "second")
    wait_for(window, entry, ("second", "Two."))
    assert (entry.edit.toPlainText(), entry.isVisible(), window.isMinimized()) == ("", True, True)
    assert entry.height() > height
    enter(entry, "third")
    wait_for(window, entry, ("second", "Two."), ("third", "Three."))
    window.settle()
    assert window.titles == ["second", "first"]
    assert window.turns == [("first", "One.")]
    QTest.mouseClick(entry.open_chat, Qt.MouseButton.LeftButton)
    assert not window.isMinimized()
    assert not entry.isVisible()
    assert window.turns == [("second", "Two."), ("third", "Three.")]
    assert opened(window).edit.toPlainText() == ""
    assert not entry.answers.isVisible()


def test_an_answer_that_has_ended_has_one_line_on_its_drafts_and_speed(
    start_chat: StartChat, qapp: Application
) -> None:
    scripts = [Script(STORY, [FULL], plain_tps=None), Script("No.", [PLAIN])]
    engine = ScriptedEngine(scripts, gate=threading.Semaphore(0))
    window = start_chat(engine)
    entry = opened(window)
    enter(entry, "first")
    window.wait(lambda: len(engine.requests) == 1)
    assert entry.figures.isHidden()
    height = entry.height()
    engine.gate.release(1000)  # type: ignore[union-attr]
    wait_for(window, entry, ("first", STORY))
    window.settle()
    stats = entry.chat.turns[0].answer.figures
    accepted = f"{stats.accepted} of {stats.drafted} drafts accepted"
    assert entry.figures.line.text().startswith(f"{accepted} · ")
    assert entry.figures.line.text().endswith(" tokens a second")
    assert entry.height() > height
    qapp.language.choose("ko")
    window.wait(lambda: entry.figures.line.text().startswith(f"초안 {stats.drafted}개 중 {stats.accepted}개 채택"))
    qapp.language.choose("en")
    enter(entry, "second")
    wait_for(window, entry, ("first", STORY), ("second", "No."))
    window.settle()
    assert "drafts accepted" not in entry.figures.line.text()


@pytest.mark.parametrize("command", ["new-chat", "new-temporary-chat"])
def test_the_chat_on_screen_and_its_unsent_message_stay(own_window: WindowDriver, command: str) -> None:
    own_window.trigger(command)
    own_window.write("unsent")
    shown, entry = own_window.session.chat, opened(own_window)
    enter(entry, "second")
    wait_for(own_window, entry, ("second", "Two."))
    assert (own_window.session.chat, own_window.unsent, own_window.turns) == (shown, "unsent", [])
    QTest.mouseClick(entry.open_chat, Qt.MouseButton.LeftButton)
    assert (own_window.turns, own_window.unsent) == ([("second", "Two.")], "")


def test_a_message_during_the_answer_is_queued_in_its_chat_whose_unsent_message_stays(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two.")], gate=threading.Semaphore(0))
    window = start_chat(engine)
    entry = opened(window)
    enter(entry, "first")
    window.wait(lambda: len(engine.requests) == 1)
    QTest.mouseClick(entry.open_chat, Qt.MouseButton.LeftButton)
    window.write("unsent")
    window.trigger("new-chat")
    enter(opened(window), "second")
    assert entry.edit.toPlainText() == "second"
    assert "Queued until the answer has ended." in texts(entry)
    engine.gate.release(1000)  # type: ignore[union-attr]
    wait_for(window, entry, ("first", "One."), ("second", "Two."))
    assert (entry.edit.toPlainText(), window.turns) == ("", [])
    window.settle()
    window.open_chat("first")
    assert window.unsent == "unsent"


def test_pasted_files_go_with_the_message(window: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("note")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
    entry = opened(window)
    entry.edit.insertFromMimeData(data)
    window.wait(lambda: len(entry.files.attachments) == 1)
    enter(entry, "second")
    wait_for(window, entry, ("second", "Two."))
    [turn] = entry.chat.turns
    assert [file.name for file in turn.attachments] == ["notes.txt"]
    assert entry.files.isHidden()


@pytest.mark.usefixtures("cocoa", "carbon")
def test_on_a_mac_a_picture_of_the_screen_is_attached_and_its_file_is_gone(
    own_window: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []

    def capture(process: QProcess, program: str, arguments: list[str]) -> None:
        assert (program, arguments[:-1]) == ("/usr/sbin/screencapture", ["-i", "-x"])
        written.append(Path(arguments[-1]))
        written[0].write_bytes(picture("red"))
        process.finished.emit(0, QProcess.ExitStatus.NormalExit)

    monkeypatch.setattr(QProcess, "start", capture)
    entry = opened(own_window)
    entry.screen_picture.click()
    own_window.wait(lambda: [file.name for file in entry.files.attachments] == ["Screenshot.png"])
    assert entry.isVisible()
    assert not written[0].parent.exists()


@pytest.mark.parametrize(
    "modifiers",
    by_tier([Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier], [Qt.KeyboardModifier.NoModifier]),
)
def test_return_and_escape_belong_to_an_input_method_that_composes(
    window: WindowDriver, modifiers: Qt.KeyboardModifier
) -> None:
    entry = opened(window)
    window.compose("글", entry.edit, "한")
    QTest.keyClick(entry.edit, Qt.Key.Key_Return, modifiers)
    QTest.keyClick(entry.edit, Qt.Key.Key_Escape)
    assert entry.isVisible()
    assert (entry.edit.toPlainText(), entry.edit.preedit()) == ("한", "글")
    assert window.turns == [("first", "One.")]
    window.compose("", entry.edit, "글")
    QTest.keyClick(entry.edit, Qt.Key.Key_Return, modifiers)
    wait_for(window, entry, ("한글", "Two."))


def test_it_sends_with_the_key_that_the_settings_name(window: WindowDriver) -> None:
    window.preferences.change(send_key="modifier")
    entry = opened(window)
    enter(entry, "line")
    assert entry.edit.toPlainText() == "line\n"
    assert entry.isVisible()


def test_escape_closes_it_and_keeps_the_text_and_the_answer(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("one two three " * 200)], pace_s=0.01))
    window.ask("count")
    window.wait(lambda: window.shown_text() != "")
    entry = opened(window)
    QTest.keyClicks(entry.edit, "later")
    QTest.keyClick(entry.edit, Qt.Key.Key_Escape)
    assert not entry.isVisible()
    assert not window.session.answers.is_idle
    assert opened(window).edit.toPlainText() == "later"
    window.trigger("stop")


def test_nothing_is_sent_without_a_text(window: WindowDriver) -> None:
    enter(opened(window), "  ")
    assert window.turns == [("first", "One.")]


def test_the_window_grows_with_the_lines(window: WindowDriver) -> None:
    entry = opened(window)
    before = entry.size()
    QTest.keyClick(entry.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert (entry.width(), entry.height() > before.height()) == (before.width(), True)
    QTest.keyClick(entry.edit, Qt.Key.Key_Backspace)
    assert entry.size() == before


@pytest.mark.parametrize("edited", [False, True])
def test_while_the_models_are_loaded_the_message_is_queued_until_it_is_edited(
    open_window: OpenWindow, edited: bool
) -> None:
    engine = ScriptedEngine([Script("One.")], load_gate=threading.Event())
    window = open_window(engine, load=False)
    entry = opened(window)
    enter(entry, "early")
    assert "Queued until the model is ready." in texts(entry)
    if edited:
        QTest.keyClicks(entry.edit, "!")
    engine.load_gate.set()  # type: ignore[union-attr]
    if edited:
        window.wait(lambda: window.session.answers.ready)
        assert (entry.edit.toPlainText(), entry.chat.turns) == ("early!", [])
    else:
        wait_for(window, entry, ("early", "One."))


def test_without_models_the_message_stays_in_the_box(window: WindowDriver) -> None:
    window.session.models.unload()
    window.settle()
    entry = opened(window)
    enter(entry, "second")
    assert (entry.edit.toPlainText(), window.turns, window.unsent) == ("second", [("first", "One.")], "")
    assert "No main model is loaded." in texts(entry)


@pytest.mark.expects_log
def test_a_question_that_cannot_be_stored_returns_to_the_box(
    window: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    entry = opened(window)
    with monkeypatch.context() as patch:
        patch.setattr(ConversationStore, "run", refuse)
        enter(entry, "second")
        window.wait(lambda: entry.edit.toPlainText() == "second")
    assert (window.unsent, window.turns) == ("", [("first", "One.")])


def test_what_is_written_when_the_window_closes_is_the_next_unsent_message(own_window: WindowDriver) -> None:
    QTest.keyClicks(opened(own_window).edit, "later")
    blank = own_window.session.chats.blank
    own_window.close()
    assert blank.unsent == "later"


def test_it_is_closed_with_the_main_window(own_window: WindowDriver) -> None:
    entry = opened(own_window)
    own_window.close()
    assert not entry.isVisible()


# Over other programs, on macOS


@pytest.mark.parametrize("private", [True, False])
def test_on_a_mac_it_takes_the_keyboard_in_every_space_while_another_program_stays_active(
    cocoa: Cocoa, carbon: Carbon, own_window: WindowDriver, monkeypatch: pytest.MonkeyPatch, private: bool
) -> None:
    cocoa.private = private
    # What Qt's `raise` does on macOS, and its `show` for a tool.
    monkeypatch.setattr(QuickEntry, "raise_", lambda _: pytest.fail("Tandem was activated"), raising=False)
    own_window.preferences.change(quick_entry="Ctrl+Alt+Space")
    own_window.showMinimized()
    carbon.press()
    entry = own_window.find(QuickEntry)
    assert (entry.isVisible(), entry.windowType()) == (True, Qt.WindowType.Dialog)
    assert cocoa.mask & NONACTIVATING
    assert cocoa.behaviour == JOINS_ALL_SPACES | FULL_SCREEN_AUXILIARY
    assert (cocoa.prevents_activation, cocoa.hides_with_program) == (private, False)
    assert (set(cocoa.views), cocoa.leaks) == ({entry.winId()}, False)
    QTest.keyClicks(entry.edit, "later")
    QTest.keyClick(entry.edit, Qt.Key.Key_Escape)
    assert (entry.isVisible(), own_window.isMinimized()) == (False, True)
    carbon.press()
    enter(entry, " now")
    wait_for(own_window, entry, ("later now", "Two."))
    assert (own_window.turns, own_window.isMinimized()) == ([("first", "One.")], True)


# The keys that open it


def field_of(window: WindowDriver) -> QKeySequenceEdit:
    field = window.settings_page("general").control("quick_entry")
    assert isinstance(field, QKeySequenceEdit)
    return field


def words(page: TablePage) -> str:
    return next(row.help.text() for row in page.rows if row.control is page.control("quick_entry"))


def press(field: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(field, key, modifiers)


@pytest.mark.parametrize("none", by_tier([Qt.Key.Key_Backspace, Qt.Key.Key_Delete], [Qt.Key.Key_Backspace]))
def test_there_is_no_shortcut_until_one_is_pressed_in_the_settings(
    carbon: Carbon, own_window: WindowDriver, none: Qt.Key
) -> None:
    assert carbon.keys == []
    field = field_of(own_window)
    press(field, SPACE, HELD)
    assert own_window.preferences.values.quick_entry == "Ctrl+Alt+Space"
    assert carbon.keys == [COMMAND_OPTION_SPACE]
    carbon.press()
    assert own_window.find(QuickEntry).isVisible()
    press(field, none)
    assert (own_window.preferences.values.quick_entry, carbon.keys) == ("", [])
    assert field.keySequence().isEmpty()


def test_the_same_keys_close_it_and_what_is_written_stays(
    carbon: Carbon, own_window: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_window.preferences.change(quick_entry="Ctrl+Alt+Space")
    carbon.press()
    entry = own_window.find(QuickEntry)
    QTest.keyClicks(entry.edit, "later")
    own_window.wait(entry.isActiveWindow)
    carbon.press()
    assert not entry.isVisible()
    carbon.press()
    assert (entry.isVisible(), entry.edit.toPlainText()) == (True, "later")
    # Where another window has the keyboard, they give it to this one.
    monkeypatch.setattr(QuickEntry, "isActiveWindow", lambda _: False, raising=False)
    carbon.press()
    assert entry.isVisible()


def test_the_defaults_have_no_shortcut(carbon: Carbon, own_window: WindowDriver) -> None:
    press(field_of(own_window), SPACE, HELD)
    own_window.settings_page("general").reset.click()
    assert carbon.keys == []


@pytest.mark.parametrize(
    ("key", "modifiers", "sentence"),
    [
        (Qt.Key.Key_J, Qt.KeyboardModifier.NoModifier, "J does not work."),
        pytest.param(Qt.Key.Key_Left, HELD, "Ctrl+Alt+Left does not work.", marks=pytest.mark.full),
        (Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier, "Ctrl+A belongs to another app"),
    ],
)
def test_a_refused_shortcut_leaves_the_one_before_and_a_sentence(
    carbon: Carbon, own_window: WindowDriver, key: Qt.Key, modifiers: Qt.KeyboardModifier, sentence: str
) -> None:
    carbon.others = {(0x00, 0x100)}
    field, page = field_of(own_window), own_window.settings_page("general")
    press(field, SPACE, HELD)
    usual = words(page)
    press(field, key, modifiers)
    assert words(page).startswith(sentence)
    assert field.keySequence().toString() == own_window.preferences.values.quick_entry == "Ctrl+Alt+Space"
    assert carbon.keys == [COMMAND_OPTION_SPACE]
    # The sentence stays when the field is left.
    field.clearFocus()
    assert words(page).startswith(sentence)
    press(field, Qt.Key.Key_F5, HELD)
    assert words(page) == usual


def test_the_page_says_that_a_shortcut_was_taken_since(carbon: Carbon, own_window: WindowDriver) -> None:
    carbon.others = {COMMAND_OPTION_SPACE}
    own_window.preferences.change(quick_entry="Ctrl+Alt+Space")
    assert carbon.keys == []
    assert "belongs to another app" in words(own_window.settings_page("general"))


@pytest.mark.full
def test_a_system_without_such_shortcuts_has_no_setting_for_them(
    own_window: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(general_page, "hot_key", lambda: None)
    page = own_window.settings_page("general")
    assert page.row_of("quick_entry").isHidden()
    # A search for it finds no empty page.
    assert not page.show_matching(page.row_of("quick_entry").name.text())
