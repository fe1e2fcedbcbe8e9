"""`Actions` makes QActions of a table, which run on the target that they are bound to."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from app.actions.actions import Actions, Menus
from app.actions.spec import MENUS, ActionSpec


@dataclass
class Lamp:
    """The target of the actions of these tests."""

    colour: str = "white"
    done: list[str] = field(default_factory=list)

    def dim(self) -> None:
        self.done.append("dim")

    def paint(self, colour: str) -> None:
        self.colour = colour
        self.done.append(colour)


TABLE: dict[str, tuple[ActionSpec[Lamp], ...]] = dict.fromkeys(MENUS, ()) | {
    "tandem": (ActionSpec("settings", "Dim", "Dim it", Lamp.dim, role=QAction.MenuRole.PreferencesRole),),
    "file": (
        ActionSpec("new-chat", "Blink", "Blink once", lambda lamp: lamp.done.append("blink"), "Ctrl+B", "plus"),
        ActionSpec("models-page", "Models…", "Show them", Lamp.dim, short="M", begins_section=True),
    ),
    "edit": (ActionSpec("stop", "Stop", "Stop it", Lamp.dim, enabled=lambda lamp: lamp.colour == "red", hides=True),),
    "view": (
        ActionSpec(
            "compare",
            "Light",
            "Light or not",
            Lamp.dim,
            other_text="Darken",
            shows_other=lambda lamp: lamp.colour == "white",
        ),
        *(
            ActionSpec(
                f"paint-{colour}",
                colour,
                colour,
                lambda lamp, colour=colour: lamp.paint(colour),  # type: ignore[misc]
                submenu="find",
                checked=lambda lamp, colour=colour: lamp.colour == colour,  # type: ignore[misc]
            )
            for colour in ("white", "red")
        ),
    ),
}


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    window = QMainWindow()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def actions(window: QMainWindow) -> Actions:
    return Actions(TABLE, window)


@pytest.fixture
def lamp(actions: Actions) -> Lamp:
    lamp = Lamp()
    actions.bind(lamp)
    return lamp


@pytest.mark.first
def test_an_action_runs_on_what_the_table_is_bound_to_and_says_what_it_does(actions: Actions, lamp: Lamp) -> None:
    action = actions["new-chat"]
    action.trigger()
    assert lamp.done == ["blink"]
    assert (action.text(), action.whatsThis(), action.toolTip()) == ("Blink", "Blink once", "Blink once (Ctrl+B)")
    assert actions["stop"].toolTip() == "Stop it"
    assert not action.icon().isNull()


def test_a_rule_decides_what_can_be_used_and_what_a_menu_leaves_out(actions: Actions, lamp: Lamp) -> None:
    for lamp.colour in ("white", "red"):
        actions.update()
        assert actions["stop"].isEnabled() is (lamp.colour == "red")
        assert actions["stop"].isVisible() is (lamp.colour == "red")


def test_the_option_in_force_is_marked_whoever_chose_it(actions: Actions, lamp: Lamp) -> None:
    def marked() -> list[bool]:
        return [actions[f"paint-{colour}"].isChecked() for colour in ("white", "red")]

    assert marked() == [True, False]
    actions["paint-red"].trigger()
    assert lamp.colour == "red"
    assert marked() == [False, True]
    # Choosing it again does not unmark it.
    actions["paint-red"].trigger()
    assert lamp.done == ["red", "red"]
    assert marked() == [False, True]
    lamp.colour = "white"
    actions.refresh_checks()
    assert marked() == [True, False]


def test_every_action_is_in_its_menu(actions: Actions, window: QMainWindow) -> None:
    menus = Menus(actions, window)
    menus.retranslate()
    shown = {action.text(): action.menu() for action in window.menuBar().actions()}
    assert list(shown) == list(MENUS.values())
    assert [action.text() for action in shown["File"].actions()] == ["Blink", "", "Models…"]
    assert shown["File"].actions()[1].isSeparator()
    light, find = shown["View"].actions()
    assert (light.text(), find.text()) == ("Light", "Find")
    assert [action.text() for action in find.menu().actions()] == ["white", "red"]


def test_the_names_of_a_menu_and_of_a_button(actions: Actions) -> None:
    spec = next(spec for spec in actions.specs if spec.id == "models-page")
    assert actions.name(spec) == "Models"
    assert actions["models-page"].iconText() == "M"
    assert actions.path(spec) == "File"
    assert actions.path(actions.specs[-1]) == "View › Find"


def test_what_is_turned_on_and_off_is_called_what_it_does_next(
    actions: Actions, lamp: Lamp, window: QMainWindow
) -> None:
    Menus(actions, window)
    view = next(action.menu() for action in window.menuBar().actions() if actions["compare"] in action.menu().actions())
    assert actions["compare"].text() == "Darken"
    lamp.colour = "red"
    view.aboutToShow.emit()
    assert actions["compare"].text() == "Light"


def test_macos_takes_the_app_menu_from_the_help_menu(actions: Actions, window: QMainWindow) -> None:
    # Only Qt for macOS has the Dock's menu, which is made last.
    with suppress(AttributeError):
        Menus(actions, window, on_mac=True)
    shown = [action.menu() for action in window.menuBar().actions()]
    assert len(shown) == len(MENUS) - 1
    assert shown[-1].actions() == [actions["settings"]]
