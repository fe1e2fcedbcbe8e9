"""The two side panes: next to the chat if the window is wide enough, otherwise over the chat on request."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QApplication, QListView, QWidget

from app.settings.store import SettingsStore
from app.speculation.panel import WIDTH as _PANEL_WIDTH
from app.widgets import theme
from app.widgets.keyboard_focus import LastStop, stops
from app.widgets.keys import claims_escape, is_escape
from app.widgets.layouts import fill, hbox, settle_layouts
from app.widgets.overlay import Shade
from app.widgets.style_class import named
from app.widgets.theme_aware import ThemeAware

# The width of the area that can be dragged, in pixels.
_GRIP_WIDTH = 7
# The width of the line that is drawn in it, in pixels.
_LINE_WIDTH = 2
# How far an arrow key, and Page Up or Page Down, move the edge, in pixels.
_STEP = 16
_PAGE = 64


class PaneHandle(ThemeAware, LastStop, QAbstractSlider):
    """A slider on the edge of `pane` that faces the middle; its value is the pane's width in pixels.

    A double click or Enter emits `reset_wanted`, which asks for the usual width. Tab reaches it after the controls of
    the pane.
    """

    reset_wanted = Signal()

    def __init__(self, pane: QWidget, on_right: bool) -> None:
        """`on_right` is True for the chat list, which has the middle on its right, and False for the live panel."""
        super().__init__(pane)
        self._pane = pane
        self._on_right = on_right
        self._grabbed = 0.0
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setInvertedControls(not on_right)
        self.setSingleStep(_STEP)
        self.setPageStep(_PAGE)
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        pane.installEventFilter(self)
        self._fit()
        self.restyle()

    def _fit(self) -> None:
        left = self._pane.width() - _GRIP_WIDTH if self._on_right else 0
        self.setGeometry(left, 0, _GRIP_WIDTH, self._pane.height())
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        left = self.tr("Width of the chat list")
        right = self.tr("Width of the live panel")
        self.setAccessibleName(left if self._on_right else right)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = event.globalPosition().x() - self._outwards(self.value())
            self.setSliderDown(True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self._outwards(round(event.globalPosition().x() - self._grabbed)))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self.setSliderDown(False)
        self.update()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.reset_wanted.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.reset_wanted.emit()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel, because scrolling next to a list must not move the edge."""
        event.ignore()

    def _outwards(self, distance: int) -> int:
        """Convert a distance to the right into growth of the pane, or growth into a distance."""
        return distance if self._on_right else -distance

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.underMouse() or self.hasFocus() or self.isSliderDown():
            left = self.width() - _LINE_WIDTH if self._on_right else 0
            QPainter(self).fillRect(left, 0, _LINE_WIDTH, self.height(), QColor(theme.colours().main))


# Below these widths of the window, a pane about which the user has not decided is hidden.
_NEEDS = {"panel": 1100, "sidebar": 780}
# The least width of the chat, in pixels at the normal text size.
_LEAST_MIDDLE = 440
# The width of the strip that a pane over the chat leaves free, in pixels at the normal text size.
_LEAST_STRIP = 56


class _Widths(NamedTuple):
    """The widths of a pane in pixels: the least, at which no text is cut off, the usual and the greatest one."""

    least: int
    usual: int
    most: int


class Panes(QObject):
    """Shows and arranges the panes.

    The window calls `arrange` when its width, the language or the text size changes. A pane over the chat is hidden
    when the chat gets the focus or is clicked, or with Esc.
    """

    def __init__(self, window: QWidget, preferences: SettingsStore) -> None:
        super().__init__(window)
        self._window = window
        self._preferences = preferences
        self._widgets: dict[str, QWidget] = {}
        values = preferences.values
        words = {"shown": True, "hidden": False, "later": False}
        # None without a choice of the user.
        self._wanted = {"sidebar": words.get(values.sidebar), "panel": words.get(values.panel)}
        # 0 is the usual width.
        self._widths = {"sidebar": values.sidebar_width, "panel": values.panel_width}
        # The pane that lies over the chat.
        self._over = ""
        self.whole = QWidget(window)
        """The parent of the panes."""
        self.middle = named(QWidget(self.whole), "middle")
        """The parent of the widgets between the panes."""
        self._row = hbox(self.whole, margins=(0, 0, 0, 0), spacing=0)

    def surround(self, sidebar: QWidget, panel: QWidget, *, header: QWidget, composer: QWidget) -> None:
        """Lay out the panes with the middle between them.

        `composer` gets the focus when a pane over it is hidden; `header`, at the top of the middle, is never covered.
        """
        self._widgets = {"sidebar": sidebar, "panel": panel}
        self._header = header
        self._composer = composer
        self._handles = {"sidebar": PaneHandle(sidebar, True), "panel": PaneHandle(panel, False)}
        for pane, handle in self._handles.items():
            handle.valueChanged.connect(partial(self._set_width, pane))
            handle.sliderReleased.connect(partial(self._keep, pane))
            handle.reset_wanted.connect(partial(self._set_width, pane, 0))
        self._shade = Shade(self.whole)
        self._shade.clicked.connect(self.put_away)
        fill(self._row, sidebar, (self.middle, 1), panel)
        for watched in (self.whole, self.middle, sidebar, panel):
            watched.installEventFilter(self)
        QApplication.instance().focusChanged.connect(self._follow_focus)  # type: ignore[union-attr]

    def toggle(self, pane: str) -> None:
        self.show(pane, not self.shows(pane))

    def shows(self, pane: str) -> bool:
        return not self._widgets[pane].isHidden()

    def show(self, pane: str, shown: bool) -> None:
        """Show or hide a pane: permanently if it fits next to the chat, otherwise until the chat gets the focus."""
        if pane == self._over or (shown and not self._fits(pane)):
            self._lay_over(pane if shown else "")
        else:
            self._wanted[pane] = shown
            self._preferences.change(**{pane: "shown" if shown else "hidden"})
            self.arrange()

    def begin_panel(self) -> None:
        """Show the panel from the first question on, if it fits and the user has not decided about it."""
        if self._preferences.values.panel == "later":
            self._wanted["panel"] = None
            self._preferences.change(panel="auto")
            self.arrange()

    def put_away(self) -> None:
        """Hide the pane that lies over the chat."""
        self._lay_over("")

    def arrange(self) -> None:
        beside = self._beside()
        if self._over in beside:
            self._over = ""
        for index, (pane, widget) in enumerate(self._widgets.items()):
            if pane in beside and self._row.indexOf(widget) < 0:
                self._row.insertWidget(index and self._row.count(), widget)
            elif pane == self._over and self._row.indexOf(widget) >= 0:
                self._row.removeWidget(widget)
            widget.setVisible(pane in beside or pane == self._over)
        self._fit(beside)
        self._shade.setVisible(bool(self._over))
        self._place_over()

    def arrange_restyled(self) -> None:
        """Arrange the panes once they have their new texts and fonts too. The window is not painted before."""
        self._window.setUpdatesEnabled(False)
        QTimer.singleShot(0, self, self._show_restyled)

    def _show_restyled(self) -> None:
        try:
            self.arrange()
            settle_layouts()
        finally:
            self._window.setUpdatesEnabled(True)

    def _beside(self) -> list[str]:
        """Return the panes that are wanted and fit next to the chat; the sidebar takes precedence."""
        beside: list[str] = []
        for pane, wanted in self._wanted.items():
            is_wanted = self._window.width() >= _NEEDS[pane] if wanted is None else wanted
            if is_wanted and self._fits(pane, beside):
                beside.append(pane)
        return beside

    def _fits(self, pane: str, beside: list[str] | None = None) -> bool:
        """Return whether a pane of its usual width fits beside the chat and `beside`; None means the panes shown."""
        shown = [other for other in self._widgets if self.shows(other) and other != self._over]
        others = [other for other in (shown if beside is None else beside) if other != pane]
        taken = sum(self._bounds(each).usual for each in (pane, *others))
        return self._window.width() - taken >= theme.scaled(_LEAST_MIDDLE)

    def _lay_over(self, pane: str) -> None:
        left, self._over = self._over, pane
        focus = QApplication.focusWidget()
        covering = self._widgets.get(left)
        had_focus = focus is not None and covering is not None and (focus is covering or covering.isAncestorOf(focus))
        self.arrange()
        if pane:
            widget = self._widgets[pane]
            (widget.findChild(QListView) or next(iter(stops(widget)), widget)).setFocus(Qt.FocusReason.OtherFocusReason)
        elif had_focus:
            self._composer.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place_over(self) -> None:
        if self._over:
            widget = self._widgets[self._over]
            top = self._header.height()
            left = 0 if self._over == "sidebar" else self.whole.width() - widget.width()
            widget.setGeometry(left, top, widget.width(), self.whole.height() - top)
            self._shade.setGeometry(self.middle.geometry().adjusted(0, top, 0, 0))
            self._shade.raise_()
            widget.raise_()

    def _follow_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Hide the pane that covers the widget with the focus."""
        if self._over and now is not None and self.middle.isAncestorOf(now) and not self._header.isAncestorOf(now):
            self.put_away()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched in (self.whole, self.middle) and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place_over()
        elif self._over and watched is self._widgets[self._over]:
            # No widget of the pane used the key.
            if claims_escape(event):
                return True
            if event.type() == QEvent.Type.KeyPress and is_escape(event):
                self.put_away()
                event.accept()
                return True
        return super().eventFilter(watched, event)

    def _set_width(self, pane: str, width: int) -> None:
        self._widths[pane] = width
        self.arrange()
        if not self._handles[pane].isSliderDown():
            self._keep(pane)

    def _keep(self, pane: str) -> None:
        self._preferences.change(**{f"{pane}_width": self._widths[pane]})

    def _fit(self, beside: list[str]) -> None:
        """Set the width of each pane; in a narrow window the panel shrinks first."""
        bounds = {pane: self._bounds(pane) for pane in _NEEDS if pane in beside or pane == self._over}
        widths = {}
        for pane, (least, usual, most) in bounds.items():
            widths[pane] = min(max(self._widths[pane] or usual, least), most)
        for pane, (least, usual, most) in bounds.items():
            if pane == self._over:
                most = min(most, self._window.width() - _LEAST_STRIP - sum(widths[other] for other in beside))
                least = min(least, most)
            else:
                others = sum(width for other, width in widths.items() if other != pane and other in beside)
                most = min(most, max(usual, self._window.width() - theme.scaled(_LEAST_MIDDLE) - others))
            widths[pane] = min(widths[pane], most)
            handle = self._handles[pane]
            with QSignalBlocker(handle):
                handle.setRange(least, most)
                handle.setValue(widths[pane])
            self._widgets[pane].setFixedWidth(widths[pane])

    def _bounds(self, pane: str) -> _Widths:
        if pane == "sidebar":
            least = 200
            usual = 248
            most = 400
        else:
            least = theme.scaled(260)
            usual = theme.scaled(_PANEL_WIDTH)
            most = theme.scaled(480)
        least = max(least, min(self._widgets[pane].minimumSizeHint().width(), usual))
        return _Widths(least, usual, most)
