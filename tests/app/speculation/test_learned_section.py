"""What was learned is shown as the engine's figures say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.speculation.learned_section import COLUMNS
from tests.app.learned_figures import LEARNED, OTHER, PAIR

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenShown
    from tests.app.scripted_engine import ScriptedEngine
    from tests.app.window_driver import WindowDriver


@pytest.fixture
def opened(open_shown: OpenShown) -> tuple[WindowDriver, ScriptedEngine]:
    window, _, engine = open_shown()
    engine.known = list(LEARNED)
    return window, engine


def learned(window: WindowDriver) -> Any:
    window.settings.open("speculation")
    return window.settings.page("speculation").learned


def texts(section: Any) -> list[list[str]]:
    table = section.table
    return [
        [table.data(table.index(row, column)) for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]


def test_the_settings_show_what_was_learned_and_no_column_is_cut(
    opened: tuple[WindowDriver, ScriptedEngine], qtbot: QtBot
) -> None:
    section, settings = learned(opened[0]), opened[0].settings
    qtbot.waitUntil(lambda: bool(section.table.rows))
    assert [section.table.headerData(0, 1, 0)] == [None]
    rows = texts(section)
    assert len(rows[0]) == len(COLUMNS)
    assert rows[0] == ["Qwen3 8B + Qwen3 0.6B", "0 to 511", "4 (draft)", "2.1×", "32.8", "75%", "82"]
    assert rows[1][1:4] == ["from 4,096", "none (plain)", "–"]
    assert (rows[2][0], rows[2][-2:]) == ("Llama 3.2 3B Instruct", ["–", "9"])
    header = section.view.horizontalHeader()
    for width, hidden in ((1080, 0), (760, 2)):
        settings.resize(width, 600)
        qtbot.waitUntil(lambda: header.length() == section.view.viewport().width())
        qtbot.waitUntil(lambda: section.view.horizontalScrollBar().maximum() == 0)
        assert header.hiddenSectionCount() >= hidden


def test_one_pair_or_all_of_them_are_forgotten(opened: tuple[WindowDriver, ScriptedEngine], qtbot: QtBot) -> None:
    window, engine = opened
    section = learned(window)
    qtbot.waitUntil(lambda: bool(section.table.rows))
    assert not section.forget.isEnabled()
    section.view.selectRow(2)
    section.forget.click()
    qtbot.waitUntil(lambda: [row.pair.pair for row in section.table.rows] == [PAIR, PAIR])
    assert [one.pair for one in engine.known] == [PAIR]
    assert OTHER not in [one.pair for one in engine.known]
    section.forget_all.click()
    qtbot.waitUntil(lambda: not section.table.rows)
    assert section.view.isHidden()
    assert not section.forget_all.isEnabled()
