"""The choices of what tools may do: one alone, or all of a server that only read, or that can change something."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QPushButton, QWidget

from app.session.tool_service import ToolService
from app.tools.tool import Permission, Tool
from app.widgets.controls import Chooser
from app.widgets.labels import label
from app.widgets.layouts import FlowRow, fill, hbox
from app.widgets.theme_aware import ThemeAware

# What a person may choose for a tool in all chats.
CHOICES = (Permission.ALWAYS, Permission.ASK, Permission.DENY)
# The same for one whose calls are allowed always by site, where they ask.
CHOICES_BY_SITE = (Permission.ASK, Permission.DENY)
_DIFFERENT = "different"


class PermissionChooser(ThemeAware, Chooser):
    """A choice of a permission. `chosen` gets the one that the person picks."""

    def __init__(
        self, chosen: Callable[[Permission], object], parent: QWidget, choices: Sequence[Permission] = CHOICES
    ) -> None:
        # Qt returns a plain text.
        super().__init__(parent, choices, lambda value: value == _DIFFERENT or chosen(Permission(value)))
        self._choices = choices
        self.restyle()

    def show_permission(self, permission: Permission | None) -> None:
        """Show a permission, or that those of several tools differ (None)."""
        values = [*self._choices] if permission is not None else [*self._choices, _DIFFERENT]
        self.set_values(values)
        self.retranslate()
        self.set_value(_DIFFERENT if permission is None else permission)

    def retranslate(self) -> None:
        words = {
            Permission.ALWAYS: self.tr("Allow"),
            Permission.ASK: self.tr("Ask"),
            Permission.DENY: self.tr("Never"),
            _DIFFERENT: self.tr("Different"),
        }
        self.set_texts(words[self.itemData(index)] for index in range(self.count()))


class KindOfTools(ThemeAware, QWidget):
    """The choice for all tools of a kind, such as those of a server that only read; hidden without any."""

    def __init__(
        self,
        service: ToolService,
        tools: Callable[[], Sequence[Tool]],
        parent: QWidget,
        choices: Sequence[Permission] = CHOICES,
    ) -> None:
        super().__init__(parent)
        self._service = service
        self._tools = tools
        self._name = label(self, "muted")
        self.chooser = PermissionChooser(lambda chosen: service.permit_all(self._tools(), chosen), self, choices)
        fill(hbox(self, margins=(0, 0, 8, 0), spacing=6), self._name, self.chooser)
        self.restyle()

    def show_tools(self, name: str, about: str) -> None:
        """Show the choice as it is now, under this `name`; `about` says whose tools they are, for a screen reader."""
        tools = self._tools()
        self.setVisible(bool(tools))
        self._name.setText(name)
        self.chooser.setAccessibleName(f"{name}: {about}")
        if tools:
            self.chooser.show_permission(self._service.common_permission(tools))


def choice_line(parent: QWidget, *parts: KindOfTools | QPushButton) -> FlowRow:
    """Return the line below the words of a row, with these choices and the way to the rest."""
    line = FlowRow(parent, spacing=8)
    line.add(*parts)
    # In one line with the words beside the choices.
    high = max(part.sizeHint().height() for part in parts)
    for part in parts:
        part.setMinimumHeight(high)
    return line
