"""The controls of settings: what they report, what they show, and that they leave the wheel to the page."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.widgets import theme
from app.widgets.colours import Colours, dark, light
from app.widgets.controls import Chooser, NumberOrWord, Switch, TickBox, number_box
from app.widgets.stylesheet import stylesheet


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    page = QWidget()
    qtbot.addWidget(page)
    page.show()
    return page


def test_a_number_is_entered_once_and_not_while_it_is_typed(page: QWidget) -> None:
    entered: list[float] = []
    box = number_box(page, 0, 100, 1, True, entered.append)
    box.show()
    box.selectAll()
    QTest.keyClicks(box, "42")
    assert entered == []
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert entered == [42]


def test_numbers_with_decimals_are_rounded_to_what_is_shown(page: QWidget) -> None:
    entered: list[float] = []
    box = number_box(page, 0, 2, 0.05, False, entered.append)
    for _ in range(3):
        box.stepUp()
    assert entered == [0.05, 0.1, 0.15]


def test_a_word_stands_beside_the_box_for_a_number_and_never_in_it(page: QWidget) -> None:
    entered: list[float] = []
    control = NumberOrWord(page, -1, 100, 1, True, 7, entered.append)
    control.set_word("Random")
    control.setAccessibleName("Seed")
    control.show_number(-1)
    control.show()
    assert (control.word.isChecked(), control.box.isVisible()) == (True, False)
    width = control.sizeHint().width()
    control.word.click()
    assert (control.box.isVisible(), control.box.value(), entered) == (True, 7, [7])
    control.box.setValue(42)
    assert control.sizeHint().width() == width
    # The word may be taken and left again, and the number is still there.
    control.word.click()
    control.word.click()
    assert entered == [7, 42, -1, 42]
    # Nothing that is typed into the box means the word.
    assert control.box.minimum() == 0
    control.show_number(3)
    assert (control.box.value(), len(entered)) == (3, 4)
    assert (control.box.accessibleName(), control.word.accessibleName()) == ("Seed", "Random: Seed")


def test_a_choice_reports_its_value_and_not_its_text(page: QWidget) -> None:
    chosen: list[object] = []
    chooser = Chooser(page, (0, 8, 4), chosen.append)
    chooser.set_texts(["Full", "8-bit", "4-bit"])
    chooser.set_value(4)
    assert chooser.currentText() == "4-bit"
    assert chosen == []
    chooser.show()
    QTest.keyClick(chooser, Qt.Key.Key_Up)
    assert (chooser.currentText(), chosen) == ("8-bit", [8])


MADE = {
    "chooser": lambda page, changed: Chooser(page, (1, 2, 3), changed),
    "whole number": lambda page, changed: number_box(page, 0, 9, 1, True, changed),
    "number": lambda page, changed: number_box(page, 0, 9, 1, False, changed),
    "number or word": lambda page, changed: NumberOrWord(page, 0, 9, 1, True, 5, changed),
}


@pytest.mark.parametrize("kind", MADE)
def test_the_wheel_is_left_to_the_page(page: QWidget, kind: str) -> None:
    changes: list[object] = []
    control = MADE[kind](page, changes.append)
    control.show()
    control.setFocus()
    where = QPointF(control.rect().center())
    no_button, no_key = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    pixels, angle, phase = QPoint(0, 0), QPoint(0, -120), Qt.ScrollPhase.NoScrollPhase
    turn = QWheelEvent(where, control.mapToGlobal(where), pixels, angle, no_button, no_key, phase, False)
    QApplication.sendEvent(control, turn)
    assert not turn.isAccepted()
    assert changes == []


def test_a_switch_is_switched_by_key_and_mouse(page: QWidget) -> None:
    switch = Switch(page)
    switch.resize(switch.sizeHint())
    switch.show()
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton)
    assert switch.isChecked()
    QTest.keyClick(switch, Qt.Key.Key_Space)
    assert not switch.isChecked()


@pytest.mark.parametrize("checked", [False, True])
def test_a_switch_that_cannot_be_switched_looks_so_and_keeps_its_side(page: QWidget, checked: bool) -> None:
    switch = Switch(page)
    switch.resize(switch.sizeHint())
    switch.setChecked(checked)
    switch.show()
    enabled = switch.grab().toImage()
    switch.setEnabled(False)
    disabled = switch.grab().toImage()
    assert disabled != enabled
    switch.setChecked(not checked)
    assert switch.grab().toImage() != disabled
    colours = {disabled.pixelColor(x, y).name() for x in range(44) for y in range(28)}
    assert theme.colours().main not in colours


def test_a_choice_that_cannot_be_made_looks_so(page: QWidget) -> None:
    chooser = Chooser(page, ["off"])
    chooser.set_texts(["Off"])
    chooser.show()
    enabled = chooser.grab().toImage()
    chooser.setEnabled(False)
    assert chooser.grab().toImage() != enabled
    chooser.setEnabled(True)
    assert chooser.grab().toImage() == enabled


def test_a_box_shows_its_state_by_a_tick_and_its_focus_by_a_ring(page: QWidget, qtbot: QtBot) -> None:
    box = TickBox("Outside", page)
    box.show()
    colours = theme.colours()
    images = []
    for checked in (False, True):
        box.setChecked(checked)
        images.append(box.grab().toImage())
    unticked, ticked = (
        sum(image.pixelColor(x, y).name() == colours.on_accent for x in range(16) for y in range(image.height()))
        for image in images
    )
    assert ticked > unticked
    page.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    assert box.grab().toImage() != images[-1]


@pytest.mark.parametrize("colours", [light(), dark()], ids=["light", "dark"])
def test_a_box_that_cannot_be_ticked_has_no_accent(
    page: QWidget, monkeypatch: pytest.MonkeyPatch, colours: Colours
) -> None:
    monkeypatch.setattr(theme, "colours", lambda: colours)
    page.setStyleSheet(stylesheet(colours))
    box = TickBox("Outside", page)
    box.setChecked(True)
    box.show()

    def accented() -> int:
        image = box.grab().toImage()
        return sum(image.pixelColor(x, y).name() == colours.main for x in range(16) for y in range(image.height()))

    assert accented() > 20
    box.setEnabled(False)
    assert accented() == 0
