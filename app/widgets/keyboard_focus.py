"""The focus of the keyboard: when it is shown, and the order in which Tab goes.

It is shown where widgets do not show it themselves, and only if the keyboard moved it there (:focus-visible). Tab goes
through a window or a card line by line, whatever was made first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QGuiApplication, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QScrollArea, QWidget
from shiboken6 import isValid

from app.widgets import theme
from app.widgets.style_class import set_property
from app.widgets.theme_aware import WidgetMixin

# Their parts are not stops: Qt passes the focus on to them.
_WHOLE = (QAbstractSpinBox, QComboBox, QLineEdit)
# The line and the corners of the ring, in pixels.
_WIDTH = 2
_RADIUS = 6
_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class KeyboardFocus(QObject):
    """Emits `changed` after every change of the focus of `target`, with True if the focus is to be shown.

    A focus that returns with its window, or after a menu or a card was closed, is shown if it was shown before.
    """

    changed = Signal(bool)

    def __init__(self, target: QWidget) -> None:
        super().__init__(target)
        self._by_keyboard = False
        target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent):
            by_keyboard = event.reason() in _KEYBOARD
            if by_keyboard or event.reason() == Qt.FocusReason.MouseFocusReason:
                self._by_keyboard = by_keyboard and event.gotFocus()
            self.changed.emit(self._by_keyboard and event.gotFocus())
        return super().eventFilter(watched, event)


def mark_keyboard_focus(rows: QWidget) -> None:
    """Keep the property `keyboardFocus` of a list up to date. Its delegate reads it."""

    def mark(has_focus: bool) -> None:
        # A list that has the focus loses it while it is being deleted.
        if isValid(rows):
            set_property(rows, "keyboardFocus", has_focus)

    KeyboardFocus(rows).changed.connect(mark)


class FocusRing(QWidget):
    """A frame over the edge of `target`, visible while the focus is to be shown."""

    def __init__(self, target: QWidget) -> None:
        super().__init__(target)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(target.rect())
        self.hide()
        KeyboardFocus(target).changed.connect(self._show_focus)
        target.installEventFilter(self)

    def _show_focus(self, has_focus: bool) -> None:
        self.setVisible(has_focus)
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.colours().main), _WIDTH))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)


class PassedArea(QScrollArea):
    """A scroll area that Tab passes by on its way to the controls in it. A click gives it the focus.

    Tab stops at it only while it can be scrolled and there is no stop in it: no other key would scroll it then.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        FocusRing(self)

    def can_scroll(self) -> bool:
        return any(bar.minimum() < bar.maximum() for bar in (self.horizontalScrollBar(), self.verticalScrollBar()))


class LastStop:
    """The mixin for a control that Tab reaches after everything else in its parent, wherever it is."""


class TabOrdered(WidgetMixin):
    """The mixin for a window or a card inside of which Tab stays: `class Card(TabOrdered, QFrame)`."""

    def focusNextPrevChild(self, forwards: bool) -> bool:
        return go_to_next(self, forwards)


def go_to_next(container: QWidget, forwards: bool) -> bool:
    """Move the focus to the next or the previous stop; after the last comes the first. False if there is none."""
    all_stops = stops(container)
    if not all_stops:
        return False
    focus = QApplication.focusWidget()
    # A part of a control, or a text that is not a stop, counts as the stop or the scroll area around it.
    while focus is not None and focus not in (container, *all_stops) and not isinstance(focus, PassedArea):
        focus = focus.parentWidget()
    if isinstance(focus, PassedArea):
        all_stops = _stops(container, _policy(), focus)
    if focus in all_stops:
        wanted = all_stops[(all_stops.index(focus) + (1 if forwards else -1)) % len(all_stops)]
    else:
        wanted = all_stops[0 if forwards else -1]
    wanted.setFocus(Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason)
    above = wanted.parentWidget()
    while above is not None and above is not container:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(wanted)
        above = above.parentWidget()
    return True


def stops(container: QWidget) -> list[QWidget]:
    """Return every widget in `container` at which Tab stops, in reading order."""
    return _stops(container, _policy())


def _policy() -> Qt.FocusPolicy:
    """Return the focus policy that a stop must include: the system may let Tab stop at texts and lists only."""
    all_controls = QGuiApplication.styleHints().tabFocusBehavior() == Qt.TabFocusBehavior.TabFocusAllControls
    return Qt.FocusPolicy.TabFocus if all_controls else Qt.FocusPolicy.StrongFocus


def _stops(widget: QWidget, policy: Qt.FocusPolicy, passed: QWidget | None = None) -> list[QWidget]:
    """Return the stops in `widget` in reading order, and `passed` in its place among them."""
    in_order = []
    children = widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    usable = [child for child in children if not child.isHidden() and not child.isWindow() and child.isEnabled()]
    ordered = in_reading_order((child for child in usable if not isinstance(child, LastStop)), QWidget.geometry)
    for child in (*ordered, *(child for child in usable if isinstance(child, LastStop))):
        inside = [] if isinstance(child, _WHOLE) else _stops(child, policy, passed)
        if child is passed or _is_stop(child, policy, inside):
            in_order.append(child)
        in_order += inside
    return in_order


def _is_stop(widget: QWidget, policy: Qt.FocusPolicy, inside: list[QWidget]) -> bool:
    """Return whether Tab stops at a widget that has the stops `inside` in it."""
    if isinstance(widget, PassedArea):
        return not inside and widget.can_scroll()
    return widget.focusPolicy() & policy == policy and widget.focusProxy() is None


def in_reading_order(things: Iterable[QWidget], place: Callable[[QWidget], QRect]) -> list[QWidget]:
    """Return widgets in reading order: cut into lines, these into columns, and so on (a recursive XY cut)."""
    left = sorted(things, key=lambda thing: (place(thing).y(), place(thing).x()))
    if len(left) < 2:
        return left
    lines = _cut(left, place, QRect.top, QRect.bottom)
    if len(lines) == 1:
        lines = _cut(left, place, QRect.left, QRect.right)
    if len(lines) == 1:
        return left
    return [thing for line in lines for thing in in_reading_order(line, place)]


def _cut(
    things: list[QWidget], place: Callable[[QWidget], QRect], start: Callable[[QRect], int], end: Callable[[QRect], int]
) -> list[list[QWidget]]:
    """Return groups that do not overlap in one direction."""
    groups: list[list[QWidget]] = []
    reached = 0
    for thing in sorted(things, key=lambda thing: start(place(thing))):
        if groups and start(place(thing)) <= reached:
            groups[-1].append(thing)
            reached = max(reached, end(place(thing)))
        else:
            groups.append([thing])
            reached = end(place(thing))
    return groups
