"""The choice of the BLAS, the name that reports it, and with which one MLX computes."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from engine.cpu_backend import blas
from engine.cpu_backend.blas import PACKAGED_VERSION, load_blas

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no BLAS is loaded")


def test_on_macos_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert load_blas() == "Accelerate"


def test_after_mlx_it_is_too_late_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setitem(sys.modules, "mlx.core", object())
    assert load_blas().startswith("unknown")


class PlayedLinker:
    """A dynamic linker with an OpenBLAS of the system, one of the package, both or none, each by its version."""

    def __init__(self, system: str | None, packaged: str | None) -> None:
        self._versions = {"libopenblas.so.0": system, "libopenblas_python.so": packaged}
        # The file names of the libraries whose symbols mlx would see.
        self.visible: list[str] = []

    def load(self, file: str, mode: int = ctypes.DEFAULT_MODE) -> PlayedLibrary:
        name = Path(file).name
        version = self._versions.get(name)
        if version is None:
            raise OSError(file)
        if mode == ctypes.RTLD_GLOBAL:
            self.visible.append(name)
        return PlayedLibrary(version)


class PlayedLibrary:
    """The functions of an OpenBLAS that `load_blas` calls."""

    def __init__(self, version: str) -> None:
        # A function, because ctypes lets the type of a result be set on one.
        def config() -> bytes:
            return f"{version} Zen ".encode()

        self.openblas_get_config = config

    def openblas_get_num_threads(self) -> int:
        return 6


@pytest.fixture
def linux(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A Linux of twelve cores, where mlx is not imported yet."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delitem(sys.modules, "mlx.core", raising=False)
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    return monkeypatch


SYSTEM, PACKAGED = "libopenblas.so.0", "scipy-openblas32"
# Where the package is installed, as `find_spec` says it.
INSTALLED = SimpleNamespace(submodule_search_locations=["/site-packages/scipy_openblas32"])


@pytest.mark.parametrize(
    ("system", "packaged", "chosen"),
    [
        ("OpenBLAS 0.3.29 NO_AFFINITY", "OpenBLAS 0.3.23.dev NO_AFFINITY", SYSTEM),
        ("OpenBLAS 1.0.0 NO_AFFINITY", "OpenBLAS 0.3.23.dev NO_AFFINITY", SYSTEM),
        ("OpenBLAS 0.3.23 NO_AFFINITY", "OpenBLAS 0.3.23.dev NO_AFFINITY", PACKAGED),
        ("OpenBLAS 0.3.9 NO_AFFINITY", "OpenBLAS 0.3.23.dev NO_AFFINITY", PACKAGED),
        # Old releases do not say which they are.
        ("NO_AFFINITY", "OpenBLAS 0.3.23.dev NO_AFFINITY", PACKAGED),
        (None, "OpenBLAS 0.3.23.dev NO_AFFINITY", PACKAGED),
        ("OpenBLAS 0.3.9 NO_AFFINITY", None, SYSTEM),
    ],
)
def test_the_system_has_its_way_only_with_a_newer_openblas(
    system: str | None, packaged: str | None, chosen: str, linux: pytest.MonkeyPatch
) -> None:
    linker = PlayedLinker(system, packaged)
    linux.setattr(ctypes, "CDLL", linker.load)
    linux.setattr(blas, "find_spec", lambda _: INSTALLED)
    name = load_blas()
    assert name.endswith(f"6 threads ({chosen})")
    assert name.startswith(str(system if chosen == SYSTEM else packaged))
    assert linker.visible == ["libopenblas.so.0" if chosen == SYSTEM else "libopenblas_python.so"]


@pytest.mark.parametrize("installed", [False, True])
@pytest.mark.parametrize("chosen", [None, "1"])
def test_without_openblas_the_name_says_what_to_install(
    linux: pytest.MonkeyPatch, chosen: str | None, installed: bool
) -> None:
    """A package that is installed may have been made for another kind of Linux."""
    linux.setattr(ctypes, "CDLL", PlayedLinker(None, None).load)
    linux.setattr(blas, "find_spec", lambda _: INSTALLED if installed else None)
    if chosen is not None:
        linux.setenv("OPENBLAS_NUM_THREADS", chosen)
    assert "install OpenBLAS" in load_blas()
    assert os.environ["OPENBLAS_NUM_THREADS"] == (chosen or "6")


class Computed(msgspec.Struct):
    """What a new process computes on the CPU, and with what."""

    # The engine's name of the BLAS; "" if the engine was not imported.
    blas: str
    threads_chosen: str
    # Those of the process before mlx was imported.
    threads: int
    # The OpenBLAS libraries that are mapped, by their paths.
    files: list[str]
    product: list[list[float]]


COMPUTE = """
import json, os, sys
if "without-package" in sys.argv:
    sys.modules["scipy_openblas32"] = None
name = ""
if "reference" not in sys.argv:
    import engine
    name = engine.BLAS
import numpy
threads = len(os.listdir("/proc/self/task"))
import mlx.core as mx
random = numpy.random.default_rng(1)
left, right = (mx.array(random.standard_normal(shape, dtype=numpy.float32)) for shape in ((64, 300), (300, 40)))
product = mx.matmul(left, right, stream=mx.cpu).tolist()
with open("/proc/self/maps", encoding="utf-8") as maps:
    files = sorted({line.split()[-1] for line in maps if "openblas" in os.path.basename(line.split()[-1])})
chosen = os.environ.get("OPENBLAS_NUM_THREADS", "")
print(json.dumps({"blas": name, "threads_chosen": chosen, "threads": threads, "files": files, "product": product}))
"""


def compute(folder: Path, *arguments: str, hide_system: bool = True, **environment: str) -> Computed:
    """Run `COMPUTE` in a new process, which finds files that are no libraries in place of the system's OpenBLAS."""
    variables = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | environment
    if hide_system:
        for name in ("libopenblas.so.0", "libopenblas.so"):
            (folder / name).touch()
        variables["LD_LIBRARY_PATH"] = str(folder)
    command = [sys.executable, "-c", COMPUTE, *arguments]
    run = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return msgspec.json.decode(run.stdout, type=Computed)


def close(one: Computed, other: Computed) -> bool:
    return bool(np.allclose(one.product, other.product, rtol=1e-4, atol=1e-4))


@ON_LINUX
def test_mlx_computes_with_the_openblas_that_is_installed_with_tandem(tmp_path: Path) -> None:
    found = compute(tmp_path)
    reference = compute(tmp_path, "reference")
    assert found.blas.endswith("(scipy-openblas32)")
    version = ".".join(map(str, PACKAGED_VERSION))
    assert found.blas.startswith(f"OpenBLAS {version}")
    spec = find_spec("scipy_openblas32")
    assert spec is not None
    packaged = [
        os.path.realpath(Path(place, "lib/libopenblas_python.so")) for place in spec.submodule_search_locations or ()
    ]
    assert [file for file in found.files if Path(file).parent.name != "numpy.libs"] == packaged
    # It adds in another order, so that it was not mlx's own that multiplied.
    assert found.product != reference.product
    assert close(found, reference)


@ON_LINUX
def test_without_any_openblas_mlx_computes_with_its_own(tmp_path: Path) -> None:
    found = compute(tmp_path, "without-package")
    assert found.blas.startswith("reference (slow)")
    assert found.product == compute(tmp_path, "reference").product


@ON_LINUX
@pytest.mark.parametrize("chosen", [None, pytest.param("1", marks=pytest.mark.full), "2"])
def test_no_openblas_has_more_threads_than_were_chosen(chosen: str | None, tmp_path: Path) -> None:
    """The system's has threads, too, which is loaded to learn its version."""
    found = compute(tmp_path, hide_system=False, **({} if chosen is None else {"OPENBLAS_NUM_THREADS": chosen}))
    assert found.threads_chosen == (chosen or str(max(1, (os.cpu_count() or 1) // 2)))
    # It has no more than there are cores.
    assert f" {min(int(found.threads_chosen), os.cpu_count() or 1)} threads" in found.blas
    assert found.threads <= 1 + len(found.files) * (int(found.threads_chosen) - 1)
