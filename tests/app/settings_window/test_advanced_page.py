"""The page of advanced settings: the log, the engine's memory, diagnostics and licences."""

from __future__ import annotations

import json
import logging
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from app.settings_window.advanced_page import BUILT_ON, AdvancedPage
from app.system.log_buffer import LOG_BUFFER
from app.system.versions import installed_version
from tests.app.conftest import OpenShown


def test_the_page_shows_memory_and_exports_diagnostics_without_chat_text(
    open_settings: OpenShown, qtbot: Any, tmp_path: Path
) -> None:
    window, library, _ = open_settings()
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
    advanced.export_to(tmp_path / "missing" / "out.json")
    assert "could not be saved" in advanced.outcome.text()
    qtbot.waitUntil(lambda: "5.2\u00a0GB of the 20.0\u00a0GB" in advanced.memory.help.text())
    assert "1 chat in 300\u00a0MB" in advanced.memory.help.text()


def test_the_log_has_the_records_of_its_level_and_a_bundle_shows_every_licence(
    open_shown: OpenShown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, library, _ = open_shown()
    LOG_BUFFER.start()
    try:
        logging.getLogger("engine.test").debug("too fine")
        logging.getLogger("engine.test").info("taken in")
    finally:
        LOG_BUFFER.stop()
    advanced = window.settings_page("advanced")
    assert "taken in" in advanced.view.toPlainText()
    assert "too fine" not in advanced.view.toPlainText()
    # A checkout has no such file.
    assert not advanced.licences.isVisible()
    opened: list[str] = []
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile()))
    notices = tmp_path / "NOTICES.txt"
    notices.write_text("MLX 0.32.4: MIT")
    monkeypatch.setattr("app.settings_window.advanced_page._NOTICES", notices)
    page = AdvancedPage(library, window.session)
    page.licences.click()
    assert opened == [str(notices)]


def test_everything_that_tandem_is_built_on_is_named_with_its_licence() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {
        re.split(r"[^\w-]", line)[0].lower().removesuffix("-essentials") for line in project["project"]["dependencies"]
    }
    named = {name.lower().replace("_", "-") for names, _ in BUILT_ON for name in re.split(r",? and |, ", names)}
    assert needed <= named
    assert all(licence for _, licence in BUILT_ON)
