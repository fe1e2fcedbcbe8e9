"""What every test gets: a fast BLAS, an offscreen Qt, a home of its own, and no log record left unexpected."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Nothing a test does may reach the network; the Hub of a test is a server on loopback.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

import engine  # noqa: F401  (loads OpenBLAS before any test imports mlx)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point every per-user folder at an empty one, so that tests neither see nor leave anything."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("HF_HOME", str(home / "huggingface"))
    return home


@pytest.fixture(autouse=True)
def fail_on_unexpected_log(caplog: pytest.LogCaptureFixture, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that logs a warning or worse, unless it is marked `expects_log`."""
    yield
    if request.node.get_closest_marker("expects_log"):
        return
    for phase in ("setup", "call"):
        for record in caplog.get_records(phase):
            if record.levelno >= logging.WARNING:
                pytest.fail(f"unexpected log record: {record.name}: {record.getMessage()}")
