"""The page of several Macs: the findings of a check, start and stop, and the message when a Mac is lost."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.session import cluster_service
from app.session.cluster_service import FETCHING, OFF, ON, CheckResults
from engine.cluster.checks import HostCheck
from engine.cluster.plan import ClusterPlan, RankPart
from engine.computers.errors import ClusterError
from tests.app.conftest import OpenShown
from tests.app.fake_cluster import FakeClusters
from tests.app.window_driver import WindowDriver
from tests.patience import PATIENCE_S

GB = 10**9


@pytest.fixture
def window(open_settings: OpenShown) -> WindowDriver:
    window = open_settings()[0]
    window.settings.open("machines")
    return window


@pytest.fixture
def page(window: WindowDriver) -> Any:
    return window.settings.page("machines")


def test_nothing_can_be_started_before_a_machine_is_named(page: Any, window: WindowDriver) -> None:
    assert not page.switch.isEnabled()
    assert not page.check.isEnabled()
    assert page.state.help.text() == "Enter another Mac first."
    window.session.cluster.configure("studio")
    assert page.switch.isEnabled()
    assert page.state.help.text() == "Running on this Mac only."
    # There is no row for findings before a check.
    assert all(row.name.text() for row in page.rows if row.isVisible())
    window.settings.search.setText("Status")
    window.settings.search.clear()
    window.settings.open("machines")
    assert all(row.name.text() for row in page.rows if row.isVisible())


def test_the_header_counts_the_machines_that_answer(open_shown: OpenShown, fakes: FakeClusters, qtbot: QtBot) -> None:
    window, library, _ = open_shown()
    page = window.settings_page("machines")
    page.settings.change(machines="studio")
    assert window.header.machines.isHidden()
    listed: list[object] = []
    page.model.model().rowsInserted.connect(lambda *_: listed.append(None))
    page.switch.click()
    qtbot.waitUntil(lambda: window.session.cluster.state == ON)
    assert (window.header.machines.isHidden(), window.header.machines.text()) == (False, "2")
    assert page.state.help.text() == "Running on 2 Macs: This Mac and studio"
    assert page.switch.text() == "Stop"
    page.switch.click()
    qtbot.waitUntil(lambda: window.session.cluster.state == OFF and not window.session.busy)
    assert window.header.machines.isHidden()
    assert fakes.made[0].stopped == 1
    # The models are listed again only if they changed.
    assert not listed
    library.models_changed.emit()
    assert len(listed) == page.model.count() > 0


def test_a_lost_machine_is_named_with_two_ways_on(open_shown: OpenShown, fakes: FakeClusters, qtbot: QtBot) -> None:
    window, _, _ = open_shown()
    page = window.settings_page("machines")
    page.settings.change(machines="studio")
    page.switch.click()
    qtbot.waitUntil(lambda: window.session.cluster.state == ON and not window.session.busy)
    fakes.made[0].lose()
    qtbot.waitUntil(lambda: "studio" in window.banner_text)
    assert window.banner_buttons == ["Start again", "Continue on this Mac"]
    assert "studio" in page.state.help.text()
    window.press_banner("Continue on this Mac")
    qtbot.waitUntil(lambda: window.session.models.pair.main is not None and not window.session.busy)
    assert window.session.models.engine is not fakes.made[0].engine
    fakes.problem = ClusterError("unreachable", "studio", "timed out")
    page.switch.click()
    qtbot.waitUntil(lambda: window.session.cluster.problem is fakes.problem)
    assert "studio" in page.state.help.text()
    assert page.switch.text() == "Start"


def test_what_a_check_finds_is_told_for_each_machine(
    page: Any, window: WindowDriver, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    parts = (
        RankPart(0, "127.0.0.1", (0, 8), (0, 40), 20 * GB, 22 * GB, 48 * GB),
        RankPart(1, "studio", (8, 16), (0, 40), 20 * GB, 22 * GB, 16 * GB),
    )
    checks = (
        HostCheck("127.0.0.1", None, "macOS 26.1", (("tandem-chat", "0.1.0"), ("mlx", "0.32.0")), 64 * GB, 48 * GB),
        HostCheck("studio", ClusterError("no-tandem", "studio", "not found")),
        HostCheck("mini", None, "macOS 26.1", (), 32 * GB, 16 * GB, 0.0004, 1.1e9),
    )
    found = CheckResults(checks, ClusterPlan("large", "tensor", parts))
    monkeypatch.setattr(cluster_service, "check_machines", lambda *_: found)
    window.session.cluster.configure("studio")
    page.check.click()
    qtbot.waitUntil(lambda: window.session.cluster.findings is found)
    ready, missing, linked, *of_parts = page.found.help.text().splitlines()
    assert (
        ready
        == "This Mac is ready\u00a0· macOS 26.1\u00a0· Tandem 0.1.0\u00a0· MLX 0.32.0\u00a0· 48.0\u00a0GB for models"
    )
    assert linked.endswith("16.0\u00a0GB for models\u00a0· 1.1\u00a0GB/s\u00a0· round trip 0.4 ms")
    assert "studio" in missing
    assert of_parts == [
        "This Mac: parts 1 to 8 of every layer\u00a0· needs 22.0\u00a0GB of 48.0\u00a0GB",
        "studio: parts 9 to 16 of every layer\u00a0· needs 22.0\u00a0GB, but only 16.0\u00a0GB can be used",
    ]


def test_what_other_macs_lack_is_downloaded_there_and_checked_again(
    page: Any, window: WindowDriver, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    lacking = ClusterError("download", "studio", "12.3 GB")
    found = [
        CheckResults((HostCheck("127.0.0.1"), HostCheck("studio", lacking, lacks=("model-2",))), None),
        CheckResults((HostCheck("127.0.0.1"), HostCheck("studio")), None),
    ]
    gate = threading.Event()

    def fetch(_choice: object, checks: object, _main: object, on_bytes: Any, _stop: object) -> None:
        assert checks == found[0].checks or not found
        on_bytes("studio", 3 * GB, 12 * GB)
        assert gate.wait(PATIENCE_S)

    results = list(found)
    monkeypatch.setattr(cluster_service, "check_machines", lambda *_: results.pop(0))
    monkeypatch.setattr(cluster_service, "fetch_parts", fetch)
    window.session.cluster.configure("studio")
    assert page.fetch.isHidden()
    page.check.click()
    qtbot.waitUntil(lambda: not page.fetch.isHidden())
    assert "studio still needs to download 12.3 GB of the model." in page.found.help.text()
    page.fetch.click()
    qtbot.waitUntil(lambda: page.state.help.text() == "studio is downloading: 3.0\u00a0GB of 12.0\u00a0GB")
    assert (page.fetch.isHidden(), page.switch.text()) == (True, "Stop")
    gate.set()
    qtbot.waitUntil(lambda: window.session.cluster.findings is found[1])
    assert page.fetch.isHidden()


def test_downloads_on_other_macs_can_be_stopped(
    page: Any, window: WindowDriver, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    checks = HostCheck("127.0.0.1"), HostCheck("studio", ClusterError("download", "studio", "1 GB"), lacks=("model-2",))
    monkeypatch.setattr(cluster_service, "check_machines", lambda *_: CheckResults(checks, None))
    monkeypatch.setattr(cluster_service, "fetch_parts", lambda *found: found[-1].wait(PATIENCE_S))
    window.session.cluster.configure("studio")
    page.check.click()
    qtbot.waitUntil(lambda: not page.fetch.isHidden())
    page.fetch.click()
    qtbot.waitUntil(lambda: window.session.cluster.state == FETCHING)
    page.switch.click()
    qtbot.waitUntil(lambda: window.session.cluster.state == OFF)
    assert not page.fetch.isHidden()
