"""Check a finished bundle: its files, its libraries, and that it works in another place.

    python packaging/verify.py BUNDLE

Raises `SystemExit` with all problems. The last check copies the bundle to a path with spaces and letters of other
scripts, write-protects it, and lets it answer a question there, without a network and with an empty home folder.
"""

from __future__ import annotations

import json
import os
import plistlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from macholib.mach_o import CPU_TYPE_NAMES, build_version_command
from macholib.MachO import MachO
from macholib.util import in_system_path
from PyInstaller.archive.readers import CArchiveReader
from sign import nested_code

sys.path.insert(0, str(Path(__file__).resolve().parent / "bundle"))

from info_plist import WITH_NAX

HERE = Path(__file__).resolve().parent

# The largest bundle in bytes, on Linux only: a Mac's has Metal's large library, too. One had 337 MB on Debian 12;
# the system's libraries have some MB more or less elsewhere. What nobody meant to take along is larger.
LARGEST = 350_000_000
# Parts of paths that no file in a bundle may have.
_NEVER = (
    "torch",
    "scipy.libs",
    "pyarrow",
    "cv2/",
    "Qt6Qml",
    "Qt6Quick",
    "Qt6Designer",
    "QtQml",
    "QtQuick",
    "lrelease",
    "lupdate",
    "starter/recipe",
)
# The name of a package at the beginning of its notice.
_NOTICE = re.compile(r"^={80}\n(\S+) ", re.MULTILINE)
# A library that ldd does not find.
_NOT_FOUND = re.compile(r"^\s*(\S+) => not found", re.MULTILINE)
# Seconds that the self-test may take.
_SELF_TEST_S = 300


def main(bundle: str) -> None:
    """Check a bundle and print its size. Raises `SystemExit` with all problems."""
    folder = Path(bundle)
    problems = [*wrong_files(folder), *missing_modules(folder)]
    problems += unloadable_libraries(folder) if folder.suffix == ".app" else unloadable_windows(folder)
    if not problems:
        problems = [*what_the_self_test_says(folder)]
    print(f"{folder.name}: {size_of(folder) / 1e6:.0f} MB in {sum(1 for _ in folder.rglob('*'))} files")
    if problems:
        raise SystemExit("\n".join(problems))


def size_of(folder: Path) -> int:
    """Return the bytes of all files without links."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


def least_macos(app: Path) -> str:
    """Return the oldest macOS that may open an app, "" for a bundle that is none."""
    plist = app / "Contents" / "Info.plist"
    return str(plistlib.loads(plist.read_bytes())["LSMinimumSystemVersion"]) if app.suffix == ".app" else ""


def data_of(folder: Path) -> Path:
    """Return the folder of everything but the program."""
    return folder / ("Contents/Frameworks" if folder.suffix == ".app" else "_internal")


def program_of(folder: Path) -> Path:
    """Return the program of a bundle."""
    return folder / ("Contents/MacOS/Tandem" if folder.suffix == ".app" else "Tandem")


def wrong_files(folder: Path) -> Iterator[str]:
    """Yield the faults of the files of a bundle: too many, too few, in wrong places, or too large."""
    yield from broken_links(folder)
    yield from misplaced_kernels(folder)
    names = [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]
    for name in names:
        if name.endswith((".pyi", ".h", ".c")) or any(part in name for part in _NEVER):
            yield f"{name} is of no use in the bundle"
    yield from missing_files(folder, names)
    yield from missing_notices(folder)
    if folder.suffix != ".app" and size_of(folder) > LARGEST:
        yield f"{size_of(folder) / 1e6:.0f} MB are more than {LARGEST / 1e6:.0f}"


def misplaced_kernels(folder: Path) -> Iterator[str]:
    """Yield the faults of MLX's library, and of the library of Metal's kernels next to it."""
    engines = [file for file in folder.rglob("libmlx.*") if not file.is_symlink()]
    if len(engines) != 1:
        yield f"there must be one libmlx: {engines}"
    # Under every path that leads to libmlx: it is not known by which of them MLX looks for it.
    for engine in folder.rglob("libmlx.dylib"):
        if not engine.with_name("mlx.metallib").is_file():
            yield f"Metal's library of MLX is not next to {engine}"


def missing_files(folder: Path, names: list[str]) -> Iterator[str]:
    """Yield the files that a bundle has to have and that are not among the `names`, which are relative to it."""
    for wanted in (
        "NOTICES.txt",
        "tandem.cdx.json",
        "catalog.json",
        "starter/main/answers.json",
        "starter/main/model.safetensors",
    ):
        if not any(name.endswith(f"resources/{wanted}") for name in names):
            yield f"resources/{wanted} is missing"
    yield from missing_translations(names)
    # Its own version, without which the app takes itself for a checkout and never offers an update.
    if not any(name.endswith("/METADATA") and "/tandem_chat-" in name for name in names):
        yield "the metadata of tandem-chat are missing"
    # Without it no window opens. The self-test opens none.
    platform = "libqcocoa.dylib" if folder.suffix == ".app" else "libqxcb.so"
    if not any(name.endswith(f"/platforms/{platform}") for name in names):
        yield f"platforms/{platform} is missing"
    # Their licences let users replace them.
    libraries = ("QtCore", "QtGui", "QtWidgets") if folder.suffix == ".app" else ("libQt6Core.so", "libQt6Gui.so")
    for replaceable in libraries:
        if not any(replaceable in name for name in names):
            yield f"{replaceable} must be a file of its own"


def missing_translations(names: list[str]) -> Iterator[str]:
    """Yield the languages of which no file among the `names` has Tandem's texts, or Qt's own."""
    for language in ("en", "ko", "ja", "zh_CN"):
        if not any(name.endswith(f"i18n/tandem_{language}.qm") for name in names):
            yield f"the translation for {language} is missing"
    # Qt's own texts are in English.
    for language in ("ko", "ja", "zh_CN"):
        if not any(name.endswith(f"/qtbase_{language}.qm") for name in names):
            yield f"Qt's own translation for {language} is missing"


def missing_notices(folder: Path) -> Iterator[str]:
    """Yield the packages whose metadata are in the bundle, but whose licence is not in NOTICES.txt."""
    notices = [file.read_text(encoding="utf-8") for file in folder.rglob("resources/NOTICES.txt")]
    told = {normalised(name) for text in notices for name in _NOTICE.findall(text)}
    packages = {normalised(file.parent.name.partition("-")[0]) for file in folder.rglob("*.dist-info/METADATA")}
    # A bundle without the file is wrong already, by `missing_files`.
    for name in sorted(packages - told) if notices else ():
        yield f"{name} is not in NOTICES.txt"


def normalised(name: str) -> str:
    """Return the name of a package as registries write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def broken_links(folder: Path) -> Iterator[str]:
    """Yield the links that lead to nothing or out of the bundle, here or elsewhere: Gatekeeper refuses such an app."""
    for file in filter(Path.is_symlink, folder.rglob("*")):
        inside = file.exists() and file.resolve().is_relative_to(folder.resolve())
        if not inside or file.readlink().is_absolute():
            yield f"{file.relative_to(folder)} leads to {file.readlink()}, which is not in the bundle"


def unloadable_libraries(app: Path) -> Iterator[str]:
    """Yield the libraries that the oldest macOS of Info.plist, or its processor, cannot load, alone or with the others.

    PyInstaller has each of them look for the others at the top of the bundle, by the last part of their paths.
    """
    least = tuple(map(int, least_macos(app).split(".")))
    for file in nested_code(app):
        headers = MachO(str(file)).headers
        if not any(CPU_TYPE_NAMES.get(header.header.cputype) == "ARM64" for header in headers):
            yield f"{file.name} is not for Apple Silicon"
        for header in headers:
            for _, command, _ in header.commands:
                if isinstance(command, build_version_command):
                    wanted = (command.minos >> 16, command.minos >> 8 & 0xFF)
                    if wanted > least:
                        yield f"{file.name} needs macOS {wanted[0]}.{wanted[1]}"
            for _, _, linked in header.walkRelocatables():
                if not in_system_path(linked) and not (data_of(app) / Path(linked).name).exists():
                    yield f"{file.name} needs {linked}, which is missing"


def unloadable_windows(folder: Path) -> Iterator[str]:
    """Yield the libraries that Qt's plugin for windows on Linux needs, directly or through others, and does not find.

    PyInstaller leaves out what this machine does not have.
    """
    for plugin in folder.rglob("platforms/libqxcb.so"):
        said = subprocess.run(["ldd", str(plugin)], capture_output=True, text=True)
        for name in dict.fromkeys(_NOT_FOUND.findall(said.stdout)):
            yield f"{plugin.name} needs {name}, which is missing"
        if said.returncode:
            yield f"{plugin.name} cannot be read: {said.stderr.strip()}"


def missing_modules(folder: Path) -> Iterator[str]:
    """Yield missing modules that are imported by name, for the models in loadable.json."""
    archive = CArchiveReader(str(program_of(folder)))
    inside = {*archive.open_embedded_archive("PYZ.pyz").toc}
    listed = json.loads(next(folder.rglob("resources/loadable.json")).read_text(encoding="utf-8"))
    wanted = {f"mlx_lm.models.{name}" for name in listed["models"]}
    wanted |= {f"mlx_lm.chat_templates.{name}" for name in listed["chat_templates"]}
    wanted |= {f"mlx_lm.tool_parsers.{name}" for name in listed["tool_parsers"]}
    for name in sorted(wanted - inside):
        yield f"{name} is missing"


def what_the_self_test_says(folder: Path) -> Iterator[str]:
    """Yield the problems of the bundle in another place."""
    with tempfile.TemporaryDirectory() as temporary:
        there = Path(temporary) / "An app 앱 応用" / folder.name
        shutil.copytree(folder, there, symlinks=True)
        for file in [there, *there.rglob("*")]:
            if not file.is_symlink():
                file.chmod(file.stat().st_mode & ~0o222)
        home = Path(temporary) / "home"
        home.mkdir()
        environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"}
        for variable in ("DISPLAY", "TMPDIR", "TANDEM_DEVICE"):
            if variable in os.environ:
                environment[variable] = os.environ[variable]
        command = [*without_network(), str(program_of(there)), "--self-test"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_SELF_TEST_S)
        for file in there.rglob("*"):
            if file.is_dir():
                file.chmod(0o755)
        there.chmod(0o755)
    reported = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}
    if done.returncode or not reported.get("ok"):
        yield f"the bundle's self-test failed: {done.stdout}{done.stderr}"
    elif reported["nax"] != (least_macos(folder) == WITH_NAX):
        yield f"kernels for neural accelerators: {reported['nax']}"


def without_network() -> list[str]:
    """Return the beginning of a command that runs without a network, or nothing if this system cannot do that."""
    alone = ["unshare", "--user", "--map-root-user", "--net", sys.executable, str(HERE / "loopback.py")]
    if sys.platform == "linux" and shutil.which("unshare") and not subprocess.run([*alone, "true"]).returncode:
        return alone
    return []


if __name__ == "__main__":
    main(sys.argv[1])
