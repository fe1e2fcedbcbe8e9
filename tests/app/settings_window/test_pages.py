"""The pages of the settings: what they show, what a search finds, and that each control does what it says."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QListWidget, QWidget

from app.conversations.opening import open_store
from app.settings import disk_use
from app.settings.declarations import SETTINGS, settings_of
from app.settings.setting import AT_ONCE
from app.settings.store import SettingsStore
from app.settings_window.advanced_page import BUILT_ON
from app.settings_window.dialog import PAGES
from app.system.log_buffer import LOG_BUFFER
from app.system.paths import cache_folder, data_folder
from app.system.versions import installed_version
from app.widgets.application import Application
from app.window.startup import move_chats
from app.wording.hub import refused_sentence
from tests.app.conftest import OpenShown


def page(window: Any, page_id: str) -> Any:
    window.settings.open(page_id)
    return window.settings.page(page_id)


def listed(window: Any) -> list[str]:
    pages = window.settings.findChild(QListWidget)
    items = [pages.item(index) for index in range(len(PAGES))]
    return [spec.id for spec, item in zip(PAGES, items, strict=True) if not item.isHidden()]


def test_every_shown_setting_is_on_its_page_and_follows_the_file(open_shown: OpenShown) -> None:
    window, library, _ = open_shown()
    shown = {setting.key for spec in PAGES for setting in settings_of(spec.id)}
    assert shown == {setting.key for setting in SETTINGS.values() if setting.page}
    generation = page(window, "generation")
    library.settings.change(temperature=0.3, top_k=40)
    assert generation.control("temperature").value() == 0.3
    assert generation.control("top_k").value() == 40
    generation.control("temperature").setValue(0.5)
    assert library.settings.values.temperature == 0.5


def test_a_page_goes_back_to_its_defaults(open_shown: OpenShown) -> None:
    window, library, _ = open_shown()
    generation = page(window, "generation")
    assert not generation.reset.isVisible()
    library.settings.change(temperature=0.3, kv_bits=4, theme="dark")
    assert generation.reset.isVisible()
    generation.reset.click()
    values = library.settings.values
    assert (values.temperature, values.kv_bits, values.theme) == (0.0, 0, "dark")
    assert generation.control("temperature").value() == 0.0
    assert not generation.reset.isVisible()


def test_a_preset_sets_its_values_and_is_marked_while_they_hold(open_shown: OpenShown) -> None:
    window, library, _ = open_shown()
    generation = page(window, "generation")
    generation.presets["balanced"].click()
    assert (library.settings.values.temperature, library.settings.values.top_p) == (0.7, 0.9)
    assert [name for name, button in generation.presets.items() if button.isChecked()] == ["balanced"]
    generation.control("temperature").setValue(0.8)
    assert not any(button.isChecked() for button in generation.presets.values())


def test_a_pair_gets_settings_of_its_own_and_loses_them(open_shown: OpenShown) -> None:
    window, library, _ = open_shown()
    speculation = page(window, "speculation")
    speculation.own.click()
    [shown] = speculation.pairs
    assert shown.name.text() == "Qwen3 8B + Qwen3 0.6B"
    assert not speculation.own.isVisible()
    shown.form.choosers["depth"].setCurrentIndex(shown.form.choosers["depth"].findData(3))
    shown.form.choosers["depth"].activated.emit(0)
    assert window.session.settings.speculation.depth == 3
    assert library.settings.values.depth == 0
    shown.remove.click()
    assert speculation.pairs == []
    assert speculation.own.isVisible()
    assert window.session.settings.speculation.depth is None


def test_a_search_lists_the_pages_that_hold_the_words_and_shows_the_rows(open_shown: OpenShown) -> None:
    window, _, _ = open_shown()
    window.settings.open("general")
    window.settings.search.setText("proxy")
    assert listed(window) == ["network"]
    network = window.settings.page("network")
    assert network.isVisible()
    assert [row.name.text() for row in network.rows if not row.isHidden()] == ["Proxy", "Connection"]
    window.settings.search.clear()
    assert listed(window) == [spec.id for spec in PAGES]
    assert not any(row.isHidden() for row in network.rows)


def test_a_search_works_in_the_language_of_the_window(open_shown: OpenShown, qapp: Application) -> None:
    window, _, _ = open_shown()
    window.settings.open("general")
    qapp.language.choose("ko")
    window.settings.search.setText("온도")
    assert "generation" in listed(window)


def test_storage_shows_sizes_and_clears_the_caches(open_shown: OpenShown, own_home: Path, qtbot: Any) -> None:
    folder = cache_folder() / "hub"
    folder.mkdir(parents=True)
    (folder / "small").write_bytes(b"x" * 5000)
    window, _, _ = open_shown()
    storage = page(window, "storage")
    assert own_home in cache_folder().parents
    assert storage.folders["caches"].help.text().endswith("· 5\u00a0kB")
    storage.clear.click()
    qtbot.waitUntil(lambda: not folder.exists())
    assert storage.folders["caches"].help.text().endswith("· 0\u00a0bytes")


def test_chats_are_backed_up_on_demand(open_shown: OpenShown, qtbot: Any) -> None:
    window, _, _ = open_shown()
    qtbot.waitUntil(lambda: window.session.chats.store_ready)
    storage = page(window, "storage")
    storage.retranslate()
    storage.back_up.click()
    qtbot.waitUntil(lambda: "backed up" in storage.outcome.text())
    [backup] = (data_folder() / "backups").iterdir()
    assert str(backup) in storage.outcome.text()


def test_models_move_at_once_and_chats_at_the_next_start(
    open_shown: OpenShown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "hub"
    models.mkdir()
    (models / "file").write_text("weights")
    monkeypatch.setattr(disk_use, "model_folder", lambda: models)
    window, library, _ = open_shown()
    storage = page(window, "storage")
    storage.move_to("models", tmp_path / "disk" / "Tandem models")
    assert (models / "file").read_text() == "weights"
    assert models.resolve() == tmp_path / "disk" / "Tandem models"
    assert "Every file was compared" in storage.outcome.text()
    storage.move_to("models", data_folder())
    assert "holds something already" in storage.outcome.text()
    storage.move_to("chats", tmp_path / "chats")
    assert library.settings.values.move_chats_to == str(tmp_path / "chats")
    assert "next time" in storage.outcome.text()


def test_the_chats_are_moved_before_anybody_opens_them(tmp_path: Path) -> None:
    data_folder().mkdir(parents=True)
    (data_folder() / "chats.db").write_text("chats")
    settings = SettingsStore(tmp_path / "settings.json")
    settings.change(move_chats_to=str(tmp_path / "elsewhere"))
    assert move_chats(settings) is None
    assert (tmp_path / "elsewhere" / "chats.db").read_text() == (data_folder() / "chats.db").read_text() == "chats"
    settings.change(move_chats_to=str(data_folder() / "inside"))
    refused = move_chats(settings)
    assert refused is not None
    assert refused.reason == "inside"
    assert settings.values.move_chats_to == ""
    assert refused_sentence(refused)


def test_chats_that_another_window_has_open_stay_where_they_are(tmp_path: Path) -> None:
    store, _ = open_store(data_folder() / "chats.db")
    settings = SettingsStore(tmp_path / "settings.json")
    settings.change(move_chats_to=str(tmp_path / "elsewhere"))
    refused = move_chats(settings)
    assert refused is not None
    assert "a second time" in refused_sentence(refused)
    assert not data_folder().is_symlink()
    store.close()
    assert move_chats(settings) is None
    assert (tmp_path / "elsewhere" / "chats.db").exists()


def test_diagnostics_hold_figures_and_settings_but_no_chat_text(
    open_shown: OpenShown, qtbot: Any, tmp_path: Path
) -> None:
    window, library, _ = open_shown()
    library.settings.change(proxy="http://name:password@proxy:8080")
    turn = window.session.answers.ask("a secret question")
    qtbot.waitUntil(lambda: turn.answer.ended)
    advanced = page(window, "advanced")
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
    advanced = page(window, "advanced")
    qtbot.waitUntil(lambda: "5.2\u00a0GB of 20.0\u00a0GB" in advanced.memory.help.text())
    assert "1 chat in 300\u00a0MB" in advanced.memory.help.text()
    advanced.clear.click()
    assert engine.cleared == 1


def test_every_setting_that_does_not_take_effect_at_once_says_when(open_shown: OpenShown) -> None:
    window, _, _ = open_shown()
    for spec in PAGES:
        shown = page(window, spec.id)
        for setting in settings_of(spec.id):
            if setting.effect != AT_ONCE:
                row = next(row for row in shown.rows if row.control is shown.control(setting.key))
                assert "from" in f"{row.help.text()} {shown.note.text() if not shown.note.isHidden() else ''}"


def test_a_file_that_cannot_be_written_is_told(open_shown: OpenShown, tmp_path: Path) -> None:
    window, _, _ = open_shown()
    advanced = page(window, "advanced")
    advanced.export_to(tmp_path / "missing" / "out.json")
    assert "could not be saved" in advanced.outcome.text()


def test_the_record_holds_what_its_level_takes_in(open_shown: OpenShown) -> None:
    import logging

    window, library, _ = open_shown()
    LOG_BUFFER.start()
    try:
        logging.getLogger("engine.test").info("too fine")
        library.settings.change(log_level="info")
        logging.getLogger("engine.test").info("taken in")
    finally:
        LOG_BUFFER.stop()
    advanced = page(window, "advanced")
    assert "taken in" in advanced.view.toPlainText()
    assert "too fine" not in advanced.view.toPlainText()


@pytest.mark.parametrize("spec", PAGES, ids=lambda spec: spec.id)
def test_every_control_of_a_page_has_a_name(open_shown: OpenShown, spec: Any) -> None:
    from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit

    window, _, _ = open_shown()
    shown: QWidget = page(window, spec.id)
    for kind in (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QPlainTextEdit):
        for control in shown.findChildren(kind):
            if control.objectName().startswith("qt_") or isinstance(control.parent(), (QAbstractSpinBox, QLineEdit)):
                continue
            text = control.text() if isinstance(control, QAbstractButton) else ""
            assert control.accessibleName() or text, control


def test_everything_that_tandem_is_built_on_is_named_with_its_licence() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {
        re.split(r"[^\w-]", line)[0].lower().removesuffix("-essentials") for line in project["project"]["dependencies"]
    }
    named = {name.lower().replace("_", "-") for names, _ in BUILT_ON for name in re.split(r",? and |, ", names)}
    assert needed <= named
    assert all(licence for _, licence in BUILT_ON)
