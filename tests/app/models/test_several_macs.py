"""Models that only fit on several Macs together: how they are marked, and what choosing one does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.library.entries import MemoryBudget, from_catalog
from app.session.cluster_service import ON, CheckResults, ClusterService
from app.widgets.application import Application
from engine.advice.catalog import load_catalog
from engine.cluster.checks import HostCheck
from engine.computers.errors import ClusterError
from tests.app.conftest import OpenShown
from tests.app.fake_cluster import FakeClusters
from tests.app.hub_library import empty_library
from tests.app.shown_library import LIMIT, TOGETHER, stocked

GB = 10**9
NOT_DIVIDED = "mlx-community/Muse-Glimmer-30B-4bit"


@pytest.mark.parametrize(
    ("model", "limit", "machines", "together"),
    [
        (TOGETHER, LIMIT, (30 * GB, 30 * GB), True),
        (TOGETHER, LIMIT, (30 * GB, 16 * GB), False),
        (TOGETHER, LIMIT, (), False),
        # This Mac can run the model alone.
        (TOGETHER, 64 * GB, (64 * GB, 30 * GB), False),
        # mlx-lm cannot divide this family.
        (NOT_DIVIDED, 16 * GB, (16 * GB, 16 * GB), False),
    ],
)
def test_what_fits_on_checked_machines_only_is_marked(
    model: str, limit: int, machines: tuple[int, ...], together: bool
) -> None:
    catalog = load_catalog()
    entry = from_catalog(catalog.models[model], catalog, (), MemoryBudget(4096, limit, machines=machines))
    assert entry.together is together


def test_choosing_such_a_model_starts_the_other_macs_with_it(
    open_settings: OpenShown, fakes: FakeClusters, qtbot: QtBot
) -> None:
    shown = stocked()
    large = next(entry for entry in shown.catalog if entry.id == TOGETHER)
    assert large.fit is not None
    assert not large.fit.fits
    here = replace(large, source="cache", path="models/large", draft="", installed=True, together=True)
    window, _, _ = open_settings(replace(shown, installed=(*shown.installed, here)))
    picker = window.picker("main")
    picker.open()
    row = next(index for index, choice in enumerate(picker.choices) if choice.id == TOGETHER)
    assert "multiple Macs, Too large for this Mac alone, but your Macs can run it together." in picker.rows[row]
    picker.select(row)
    picker.press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.session.cluster.state == ON and not window.session.busy)
    assert window.session.models.engine is fakes.made[0].engine
    main = window.session.models.pair.main
    assert main is not None
    assert str(main.path) == "models/large"


def test_the_library_judges_by_what_a_check_found(tmp_path: Path, qtbot: QtBot) -> None:
    library = empty_library(tmp_path, memory_limit_gb=16.0)

    def marked() -> set[str]:
        return {entry.id for entry in library.inventory.catalog if entry.together} if library.inventory else {"none"}

    try:
        library.start()
        qtbot.waitUntil(lambda: marked() == set())
        library.take_machines((30 * GB, 30 * GB))
        qtbot.waitUntil(lambda: TOGETHER in marked())
        library.take_machines(())
        qtbot.waitUntil(lambda: marked() == set())
    finally:
        library.close()


def test_a_machine_that_cannot_take_part_lends_no_memory(qapp: Application) -> None:
    models: Any = None
    cluster = ClusterService(models, qapp)
    assert cluster.memory == ()
    for problem, memory in (
        (None, (20 * GB, 30 * GB)),
        (ClusterError("no-model", "studio", "large"), (20 * GB, 30 * GB)),
        (ClusterError("unreachable", "studio"), ()),
    ):
        checks = HostCheck("127.0.0.1", free=20 * GB), HostCheck("studio", problem, free=30 * GB)
        cluster.findings = CheckResults(checks, None)
        assert cluster.memory == memory
    cluster.close()
    cluster.deleteLater()
