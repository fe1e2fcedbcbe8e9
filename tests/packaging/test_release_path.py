"""The way to a release for macOS, on Linux: Tandem.app out of the pinned macOS wheels, as PyInstaller lays it out.

pip fetches the wheels (about 270 MB) and PyInstaller once, into the user's cache; without a way to the index the tests
are skipped. What needs a Mac is named in `mac_bundle.py` and in packaging/confirm_on_mac.py.
"""

from __future__ import annotations

import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import platformdirs
import pytest

from tests.packaging.requirements import needed_by

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
WITH_NAX, OLDEST = (
    runpy.run_path(str(PACKAGING / "bundle" / "info_plist.py"))[name] for name in ("WITH_NAX", "OLDEST")
)
# Kept from run to run; the tests themselves have an empty home.
_KEPT = platformdirs.user_cache_path("tandem-tests")
_PYINSTALLER = ("pyinstaller", "pyinstaller-hooks-contrib", "altgraph", "macholib")
# What each part of the self-test needs of the bundle beside modules in Python, which are the same on every system.
PARTS = {
    "gpu": ["mlx/core.*.so", "mlx/lib/libmlx.dylib", "mlx/lib/mlx.metallib", "libmlx.dylib", "mlx.metallib"],
    # A Mac multiplies with its own.
    "openblas": [],
    "architectures": [
        *("mlx_lm-*.dist-info/METADATA", "numpy/_core/_multiarray_umath.*.so", "safetensors/_safetensors_rust.abi3.so"),
    ],
    "prompt-process": ["tokenizers/tokenizers.abi3.so", "sentencepiece/_sentencepiece.*.so", "regex/_regex.*.so"],
    "draft-runner": ["mlx_lm-*.dist-info/METADATA"],
    "pdf": ["pypdf-*.dist-info/METADATA"],
    # Its Python looks for the library beside itself, and reads the versions of both.
    "pdfium": [
        *("pypdfium2_raw/libpdfium.dylib", "pypdfium2_raw/version.json", "pypdfium2/version.json"),
        "pypdfium2-*.dist-info/METADATA",
    ],
    "documents": ["chardet/_kernel.*.so", "python_calamine/_python_calamine.*.so", "selectolax/lexbor.*.so"],
    "formulas": ["ziamath-*.dist-info/METADATA"],
    "keychain": ["keyring-*.dist-info/entry_points.txt"],
    "languages": ["PySide6/QtWidgets.abi3.so", "PySide6/Qt/plugins/platforms/libqcocoa.dylib"],
    "sorting": ["PySide6/QtCore.abi3.so"],
    "updates": ["cryptography/hazmat/bindings/_rust.abi3.so", "_cffi_backend.*.so"],
    "server": ["httpx2-*.dist-info/METADATA", "msgspec/_core.*.so"],
    "grammars": ["llguidance/_lib.abi3.so", "llguidance-*.dist-info/METADATA"],
    "tools": ["pydantic_core/_pydantic_core.*.so", "rpds/rpds.*.so"],
    "pictures": ["PIL/_imaging.*.so", "PIL/_webp.*.so", "PIL/_avif.*.so"],
    "previews": ["PySide6/QtSvg.abi3.so", "PySide6/Qt/plugins/platforms/libqoffscreen.dylib"],
}

pytestmark = [pytest.mark.real, pytest.mark.skipif(sys.platform != "linux", reason="a Mac builds the bundle itself")]


def fetched(name: str, *arguments: str) -> Path:
    """Return a folder that pip has filled by a command, now or in an earlier run with the same pinned versions."""
    pins = [PACKAGING / file for file in ("constraints.txt", "tools.txt")]
    pinned = "".join(file.read_text(encoding="utf-8") for file in pins)
    folder = _KEPT / f"{name}-{hashlib.sha256(repr((pinned, arguments, sys.version)).encode()).hexdigest()[:16]}"
    if not folder.exists():
        for older in _KEPT.glob(f"{name}-*"):
            shutil.rmtree(older)
        unfinished = _KEPT / f"{name}-unfinished"
        # Of all its failures, only those of the way to the index make it ask again.
        options = ["-q", "--no-deps", "--only-binary", ":all:", "--retries", "2", "--timeout", "20"]
        options += [*(f"--constraint={file}" for file in pins)]
        into = ["-d" if arguments[0] == "download" else "--target", str(unfinished)]
        done = subprocess.run(
            [sys.executable, "-m", "pip", *arguments, *options, *into], capture_output=True, text=True
        )
        if done.returncode and (failures := re.findall(r"Retrying.*", done.stderr)):
            pytest.skip(f"the index cannot be reached: {failures[-1][:200]} (macOS wheels)")
        assert done.returncode == 0, done.stderr
        unfinished.rename(folder)
    return folder


def is_for_one_system(name: str) -> bool:
    try:
        tags = distribution(name).read_text("WHEEL") or ""
    except PackageNotFoundError:
        return False
    return not re.search(r"^Tag: .*-any$", tags, re.MULTILINE)


@pytest.fixture(scope="module", params=[OLDEST, WITH_NAX])
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Tandem.app for the oldest macOS of an image, and what verify.py finds wrong in it."""
    macos: str = request.param
    needed = needed_by("tandem-chat", set()) | needed_by("mlx-vlm", set())
    compiled = sorted(name for name in needed if is_for_one_system(name) and not name.startswith("mlx"))
    platforms = {system: f"macosx_{system.partition('.')[0]}_0_arm64" for system in (OLDEST, macos)}
    wheels = fetched("wheels", "download", "--platform", platforms[OLDEST], *compiled)
    engine = fetched(f"mlx-{macos}", "download", "--platform", platforms[macos], "mlx", "mlx-metal")
    tools = fetched("pyinstaller", "install", *_PYINSTALLER)
    out = tmp_path_factory.mktemp("app")
    command = [sys.executable, str(Path(__file__).with_name("mac_bundle.py")), str(PACKAGING), str(out), macos]
    done = subprocess.run(
        [*command, *map(str, wheels.glob("*.whl")), *map(str, engine.glob("*.whl"))],
        env={**os.environ, "PYTHONPATH": str(tools)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out / "Tandem.app", done.stdout.splitlines()


def test_no_library_or_link_is_wrong_and_metals_library_is_found(app: tuple[Path, list[str]]) -> None:
    of_our_package = ("resources/", "the translation for")
    assert [problem for problem in app[1] if not problem.startswith(of_our_package)] == []


def test_every_part_that_the_self_test_and_the_cask_name_is_inside(app: tuple[Path, list[str]]) -> None:
    source = (ROOT / "app" / "cli" / "included_parts.py").read_text(encoding="utf-8")
    assert {*re.findall(r'^        "([\w-]+)": ', source, re.MULTILINE)} == PARTS.keys()
    # Every folder of it also has links to what lies in the other one.
    frameworks = app[0] / "Contents" / "Frameworks"
    missing = [(part, file) for part, files in PARTS.items() for file in files if not any(frameworks.glob(file))]
    assert missing == []
    [command] = re.findall(r'binary "#\{\{appdir\}\}/Tandem.app/(.+)", ', (PACKAGING / "cask.py").read_text())
    assert os.access(app[0] / command, os.X_OK)
    [entry_points] = frameworks.glob("keyring-*.dist-info/entry_points.txt")
    assert "macOS = keyring.backends.macOS" in entry_points.read_text(encoding="utf-8")


def test_all_code_is_signed_and_what_a_framework_seals_before_its_program(app: tuple[Path, list[str]]) -> None:
    signed: list[Path] = runpy.run_path(str(PACKAGING / "sign.py"))["nested_code"](app[0])
    files = [file for file in app[0].rglob("*") if file.is_file() and not file.is_symlink()]
    assert {*signed} == {file for file in files if file.suffix in (".so", ".dylib") or file.parent.name == "A"}
    frameworks = [place for place, file in enumerate(signed) if file.parent.name == "A"]
    assert len(frameworks) > 5
    for place in frameworks:
        assert not [file for file in signed[place + 1 :] if signed[place].parent in file.parents]
