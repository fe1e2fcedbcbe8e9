"""The environment of every test: a fast BLAS, an offscreen Qt, an empty home, and no unexpected log record.

No outcome depends on the machine's speed, on its time zone or on chance: examples are drawn from a fixed seed.
"""

from __future__ import annotations

import atexit
import gc
import ipaddress
import logging
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    # The default offscreen screen, 800 by 800, is too small for the windows' usual sizes.
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).parent / 'screen.json'}"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_UPDATE_CHECK"] = "1"
os.environ["TZ"] = "UTC"
# For the CPU, a C++ compiler builds each fused kernel, in this process and in those that tests start, which changes
# nothing for most tests. The fixture `with_compilation` is for the others.
os.environ["MLX_DISABLE_COMPILE"] = "1"

if "PYTEST_XDIST_WORKER" in os.environ:
    # MLX keeps compiled kernels among the temporary files, by the same names in all processes: one process could load
    # a file that another is still writing.
    tempfile.tempdir = os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="tandem-tests-")
    atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)

from huggingface_hub import constants

import engine  # noqa: F401  (loads OpenBLAS before any test imports mlx)
from engine.advice import speedup
from engine.machine import facts, keep_awake, process_info, row_costs
from tests import file_costs
from tests.engine.machine.objective_c import Runtime
from tests.kernel_header import PrecompiledHeader
from tests.shares import divide_files, has_tests_of

time.tzset()
if os.environ.get("TANDEM_DEVICE") == "cpu":
    import mlx.core as mx

    # As an engine does, before mlx_lm is imported.
    mx.set_default_device(mx.cpu)
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    if path := os.environ.get(file_costs.VARIABLE):
        config.pluginmanager.register(file_costs.FileCosts(path))
    divide_files(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without a test that is marked `first` if only those run; None leaves it to pytest.

    Importing all files takes longer than these tests.
    """
    if collection_path.suffix == ".py" and not has_tests_of(collection_path, config.option.markexpr):
        return True
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage among the millions of objects of modules and tests, neither now nor later."""
    gc.disable()
    yield
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Put the precompiled header on PATH before the worker processes start, which inherit the environment."""
    header = PrecompiledHeader()
    config.add_cleanup(header.close)
    os.environ["PATH"] = f"{header.commands}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a new folder each time; `mktemp` would look through those of all tests before."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def own_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point every per-user folder at an empty one, so that tests neither read nor leave files of the user."""
    home = next(homes)
    home.mkdir()
    live_in(home, monkeypatch)
    return home


def live_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point every per-user folder at one in `home`."""
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("HF_HOME", str(home / "huggingface"))
    # The library has read the variable when it was imported.
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(home / "huggingface" / "hub"))


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail any connection that leaves this machine: a test's Hub is a server on loopback."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple):
            host = "127.0.0.1" if address[0] == "localhost" else address[0]
            if not ipaddress.ip_address(host).is_loopback:
                raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def set_chip(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Expect of any machine what is expected of a CPU, or of the chip that a test names."""

    def be(name: str) -> None:
        for module in (row_costs, speedup):
            monkeypatch.setattr(module, "chip", lambda: name)

    be("AMD EPYC")
    return be


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


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> Runtime:
    """What macOS would tell this process, and what it would be asked for."""
    runtime = Runtime()
    info = process_info.ProcessInfo(runtime)
    for module in (process_info, keep_awake, facts):
        monkeypatch.setattr(module, "process_info", lambda: info)
    return runtime
