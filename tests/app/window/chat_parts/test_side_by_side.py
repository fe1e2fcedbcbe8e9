"""Two versions of an answer are shown beside each other, as the chat renders them."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPlainTextEdit, QTextEdit, QWidget

from app.tools.tool import ToolResult
from app.widgets.application import Application
from app.widgets.controls import Chooser
from app.window.chat_parts.side_by_side import SideBySide
from app.wording import figures
from engine.errors import ModelNotUsable
from tests.app.conftest import EACH_LANGUAGE, OpenWindow
from tests.app.fake_tools import FakeHost, call_text, set_up, tool
from tests.app.reach import controls, unreachable
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.window_driver import WindowDriver
from tests.app.window_parts import entry
from tests.engine.tiers import by_tier

LONG = "\n\n".join(f"Paragraph {number} of many." for number in range(1, 90))
NAME = "Side by side"


class Card:
    """The card as a person sees it."""

    def __init__(self, window: WindowDriver) -> None:
        self.card, self.window = window.find(SideBySide), window

    @property
    def areas(self) -> list[QWidget]:
        return self.card.findChildren(QWidget, "comparedText")

    @property
    def choice(self) -> Chooser:
        return self.card.findChild(Chooser)

    @property
    def texts(self) -> list[str]:
        """The rendered text of both versions, the earlier one first, as far as it is in view."""
        return [self._text(area) for area in self.areas]

    @property
    def names(self) -> list[str]:
        """What is above the two texts: the place of the version, its model and its speed."""
        labels = [label for label in self.card.findChildren(QLabel) if label.isVisible() and "/" in label.text()]
        shown = [label for label in labels if not self._in_area(label)]
        return [label.text() for label in sorted(shown, key=self._place)]

    @property
    def marked(self) -> list[str]:
        """The marked passages of both texts."""
        kinds = QTextEdit, QPlainTextEdit
        views = [view for area in self.areas for kind in kinds for view in area.findChildren(kind)]
        return [marked.cursor.selectedText() for view in views for marked in view.extraSelections()]

    @property
    def uses(self) -> list[bool]:
        """Whether each of both versions has the button that shows it in the chat."""
        return [button.isVisible() for button in self.card.uses]

    def rect_of(self, widget: QWidget) -> QRect:
        return QRect(widget.mapTo(self.card, QPoint(0, 0)), widget.size())

    def _in_area(self, widget: QWidget) -> bool:
        return any(area.isAncestorOf(widget) for area in self.areas)

    def _place(self, widget: QWidget) -> tuple[int, int]:
        return self.rect_of(widget).x() // 50, self.rect_of(widget).y()

    def _text(self, area: QWidget) -> str:
        views = [view for view in area.findChildren(QTextEdit) if not view.visibleRegion().isEmpty()]
        ordered = sorted(views, key=lambda view: view.mapTo(area, QPoint(0, 0)).y())
        return "\n".join(view.toPlainText() for view in ordered)

    def wait_for(self, *shown: str) -> None:
        self.window.wait(lambda: self.card.isVisible() and self.texts == [*shown])


def answered(window: WindowDriver, versions: int) -> WindowDriver:
    """Ask a question and regenerate its answer."""
    window.ask_and_wait("question")
    for _ in range(versions - 1):
        window.trigger("ask-again")
        window.wait_until_answered()
        window.settle()
    return window


def from_menu(window: WindowDriver) -> Card:
    entry(window.turn().menu(), NAME).trigger()
    window.settle()
    return Card(window)


def is_offered(window: WindowDriver) -> bool:
    offered = [action for action in window.turn().menu().actions() if action.text() == NAME]
    assert window.is_enabled("versions") == bool(offered)
    return bool(offered)


@pytest.mark.parametrize("way", by_tier(["menu", "palette"], ["palette"]))
@pytest.mark.parametrize("temporary", [False, pytest.param(True, marks=pytest.mark.full)])
def test_the_one_before_is_left_of_the_shown_version(open_window: OpenWindow, way: str, temporary: bool) -> None:
    window = open_window(ScriptedEngine([Script("# One\n\nThe *first*."), Script("The second.", round_s=0.1)]))
    if temporary:
        window.trigger("new-temporary-chat")
    window.ask_and_wait("question")
    first = window.answer().stats.decode_tps
    assert not is_offered(window)
    window.trigger("ask-again")
    window.wait_until_answered()
    window.settle()
    assert is_offered(window)
    if way == "menu":
        card = from_menu(window)
    else:
        window.trigger("palette")
        window.palette.type(NAME)
        window.palette.press(Qt.Key.Key_Return)
        card = Card(window)
    card.wait_for("One\nThe first.", "The second.")
    speeds = [first, window.answer().stats.decode_tps]
    assert speeds[0] != speeds[1]
    assert card.names == [f"{1 + at}/2 · main · {figures.speed(speed)} tokens/s" for at, speed in enumerate(speeds)]
    assert not card.choice.isVisible()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not card.card.isVisible()
    assert window.edit.hasFocus()


def test_the_first_version_is_beside_the_next_one(open_window: OpenWindow) -> None:
    window = answered(open_window(ScriptedEngine([Script("One."), Script("Two.")])), 2)
    window.turn().press("previous")
    window.settle()
    card = from_menu(window)
    card.wait_for("One.", "Two.")
    assert card.uses == [False, True]
    card.card.uses[1].click()
    window.wait(lambda: window.answer().text == "Two.")
    assert not card.card.isVisible()


@pytest.mark.full
@pytest.mark.parametrize(
    ("first", "second", "marked", "said"),
    [
        ("One and **two** more.", "One and **two** fewer.", ["more.", "fewer."], "The first difference is marked."),
        pytest.param(
            *("```\nlow = 1\n```", "```\nlo = 1\n```", ["low = 1", "lo = 1"], "The first difference is marked."),
            marks=pytest.mark.full,
        ),
        ("The same.", "The same.", [], "The text is the same."),
        pytest.param(
            "One.", "One. And more.", ["And more."], "The first difference is marked.", marks=pytest.mark.full
        ),
    ],
)
def test_the_first_difference_is_marked(
    open_window: OpenWindow, first: str, second: str, marked: list[str], said: str
) -> None:
    card = from_menu(answered(open_window(ScriptedEngine([Script(first), Script(second)])), 2))
    card.window.wait(lambda: [passage.strip() for passage in card.marked] == marked)
    assert card.card.sentence.text() == said


def test_of_more_than_two_versions_another_one_is_chosen(open_window: OpenWindow) -> None:
    window = answered(open_window(ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])), 3)
    card = from_menu(window)
    card.wait_for("Two.", "Three.")
    names = [card.choice.itemText(row)[:3] for row in range(card.choice.count())]
    assert (names, [name[:3] for name in card.names]) == (["1/3", "2/3"], ["2/3", "3/3"])
    QTest.keyClick(card.choice, Qt.Key.Key_Up)
    card.wait_for("One.", "Three.")
    assert [name[:3] for name in card.names] == ["1/3", "3/3"]
    assert card.uses == [True, False]
    tops = {card.rect_of(area).top() for area in card.areas}
    assert len(tops) == 1


@pytest.mark.full
def test_a_long_version_begins_at_its_beginning_and_scrolls_to_its_end(open_window: OpenWindow) -> None:
    window = answered(open_window(ScriptedEngine([Script(LONG), Script("Short.")])), 2)
    card = from_menu(window)
    bar = card.areas[0].verticalScrollBar()
    window.wait(lambda: card.texts[0].startswith("Paragraph 1 of many.") and bar.maximum() > 0)
    assert bar.value() == 0
    for _ in range(50):
        QTest.keyClick(card.areas[0], Qt.Key.Key_PageDown)
    window.wait(lambda: card.texts[0].endswith("Paragraph 89 of many."))
    assert bar.value() == bar.maximum()


def test_a_version_that_called_tools_is_shown_with_its_answer(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = FakeHost()
    host.offered, host.results = [tool("now")], {"now": ToolResult("It is 12:00.", seconds=0.25)}
    host.install(monkeypatch)
    asks = Script(f"Let me look.\n{call_text('clock_now', zone='UTC')}")
    window = open_window(ScriptedEngine([Script("I can't know."), asks, Script("Noon.")], tool_format="json_tools"))
    window.ask_and_wait("question")
    set_up(window.session, "clock")
    window.trigger("ask-again")
    window.wait(lambda: any(one.isVisible() for one in allowing(window)))
    next(one for one in allowing(window) if one.isVisible()).click()
    window.wait_until_answered()
    window.settle()
    shown = ("I can't know.", "Let me look.\nNoon.")
    from_menu(window).wait_for(*shown)
    Card(window).card.close_overlay()
    window.turn().press("previous")
    window.settle()
    from_menu(window).wait_for(*shown)


def allowing(window: WindowDriver) -> list[QAbstractButton]:
    return [one for one in window.turn().view.findChildren(QAbstractButton) if one.text() == "Allow"]


def test_a_version_that_failed_says_why_and_has_no_button(open_window: OpenWindow) -> None:
    scripts = [Script("", error=ModelNotUsable("models/x", "missing")), Script("Two.")]
    window = answered(open_window(ScriptedEngine(scripts)), 2)
    card = from_menu(window)
    card.wait_for("", "Two.")
    said = [label.text() for label in card.areas[0].findChildren(QLabel) if label.isVisible() and label.text()]
    assert any("models/x" in words for words in said)
    buttons = [one for one in card.card.findChildren(QAbstractButton) if one.isVisible()]
    assert [one.text() or one.accessibleName() for one in buttons] == ["Use this one", "Close"]


@pytest.mark.full
def test_versions_wait_while_one_is_written(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two."), Script(STORY)])
    window = answered(open_window(engine), 2)
    engine.gate = threading.Semaphore(5)
    window.trigger("ask-again")
    window.wait(lambda: bool(window.answer().text))
    assert not window.is_enabled("versions")
    engine.gate.release(1000)
    window.wait_until_answered()
    window.settle()
    assert is_offered(window)


@pytest.mark.full
@pytest.mark.parametrize("language", EACH_LANGUAGE)
def test_in_a_narrow_window_one_is_above_the_other_and_all_can_be_reached(
    open_window: OpenWindow, qapp: Application, language: str
) -> None:
    qapp.language.choose(language)
    window = answered(open_window(ScriptedEngine([Script("One."), Script("```python\nx = 1\n```"), Script(LONG)])), 3)
    window.trigger("versions")
    window.settle()
    card = Card(window)
    window.wait(card.card.isVisible)
    for width, height, size in ((1000, 700, 100), (700, 420, 100), (690, 420, 100), (560, 420, 130)):
        qapp.theme.set_text_size(size)
        window.resize(width, height)
        QApplication.processEvents()
        left, right = map(card.rect_of, card.areas)
        is_narrow = width < 700
        assert (left.bottom() < right.top(), left.right() < right.left()) == (is_narrow, not is_narrow)
        assert min(left.height(), right.height()) > 40
        assert len(controls(card.card)) > 3
        assert unreachable(card.card) == []
