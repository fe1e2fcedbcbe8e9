"""The page of advanced settings: the log, the engine's memory, diagnostics and licences."""

from __future__ import annotations

import json
import logging
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from app.settings_window.advanced_page import BUILT_ON
from app.system.log_buffer import LOG_BUFFER
from app.system.versions import installed_version
from tests.app.conftest import OpenShown


def test_diagnostics_hold_figures_and_settings_but_no_chat_text(
    open_shown: OpenShown, qtbot: Any, tmp_path: Path
) -> None:
    window, library, _ = open_shown()
    library.settings.change(proxy="http://name:password@proxy:8080")
    turn = window.session.answers.ask("a secret question")
    qtbot.waitUntil(lambda: turn.answer.ended)
    advanced = window.settings_page("advanced")
    advanced.export_to(tmp_path / "out.json")
    text = (tmp_path / "out.json").read_text()
    assert "secret" not in text
    assert "Hello" not in text
    assert "password" not in text
    assert json.loads(text)["answers"][0]["generated_tokens"] == turn.answer.stats.generated_tokens
    assert json.loads(text)["versions"]["mlx"] == installed_version("mlx")
    assert str(tmp_path / "out.json") in advanced.outcome.text()


def test_advanced_shows_what_the_engine_holds_and_clears_the_prefix_cache(open_shown: OpenShown, qtbot: Any) -> None:
    window, _, engine = open_shown()
    turn = window.session.answers.ask("question")
    qtbot.waitUntil(lambda: turn.answer.ended)
    advanced = window.settings_page("advanced")
    qtbot.waitUntil(lambda: "5.2\u00a0GB of the 20.0\u00a0GB" in advanced.memory.help.text())
    assert "1 chat in 300\u00a0MB" in advanced.memory.help.text()
    advanced.clear.click()
    assert engine.cleared == 1


def test_a_file_that_cannot_be_written_is_told(open_shown: OpenShown, tmp_path: Path) -> None:
    window, _, _ = open_shown()
    advanced = window.settings_page("advanced")
    advanced.export_to(tmp_path / "missing" / "out.json")
    assert "could not be saved" in advanced.outcome.text()


def test_the_record_holds_what_its_level_takes_in(open_shown: OpenShown) -> None:
    window, library, _ = open_shown()
    LOG_BUFFER.start()
    try:
        logging.getLogger("engine.test").info("too fine")
        library.settings.change(log_level="info")
        logging.getLogger("engine.test").info("taken in")
    finally:
        LOG_BUFFER.stop()
    advanced = window.settings_page("advanced")
    assert "taken in" in advanced.view.toPlainText()
    assert "too fine" not in advanced.view.toPlainText()


def test_everything_that_tandem_is_built_on_is_named_with_its_licence() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {
        re.split(r"[^\w-]", line)[0].lower().removesuffix("-essentials") for line in project["project"]["dependencies"]
    }
    named = {name.lower().replace("_", "-") for names, _ in BUILT_ON for name in re.split(r",? and |, ", names)}
    assert needed <= named
    assert all(licence for _, licence in BUILT_ON)


def test_a_bundle_shows_every_licence(open_shown: OpenShown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile()))
    window, _, _ = open_shown()
    # A checkout has no such file.
    assert not window.settings_page("advanced").licences.isVisible()
    notices = tmp_path / "NOTICES.txt"
    notices.write_text("MLX 0.32.4: MIT")
    monkeypatch.setattr("app.settings_window.advanced_page._NOTICES", notices)
    window, _, _ = open_shown()
    window.settings_page("advanced").licences.click()
    assert opened == [str(notices)]
