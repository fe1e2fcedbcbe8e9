"""The action table is whole."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from app.action_table import ACTIONS, MENUS, ActionSpec, Circumstances
from app.places import resource

if TYPE_CHECKING:
    from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine


@pytest.mark.parametrize("spec", ACTIONS, ids=lambda spec: spec.id)
def test_an_action_has_words_a_menu_and_its_icon(spec: ActionSpec) -> None:
    assert spec.text
    assert spec.name
    assert spec.menu in MENUS
    assert not spec.icon or resource("icons", f"{spec.icon}.svg").is_file()
    assert spec.enabled(Circumstances()) in (True, False)


def test_ids_and_shortcuts_are_unique() -> None:
    assert max(Counter(spec.id for spec in ACTIONS).values()) == 1
    shortcuts = Counter(spec.shortcut for spec in ACTIONS if spec.shortcut)
    assert max(shortcuts.values()) == 1


def test_the_window_handles_every_action(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    assert set(window._handlers()) == {spec.id for spec in ACTIONS}
