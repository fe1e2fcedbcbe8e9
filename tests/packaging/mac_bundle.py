"""Make Tandem.app out of macOS wheels on Linux, and print what verify.py finds wrong in it, a line each.

    python mac_bundle.py PACKAGING OUT MACOS WHEEL...

PACKAGING is the folder with bundle/tandem.spec, which runs as it is. PyInstaller's own code decides which libraries are
needed, and where files and links lie. This stands for a Mac, and for what would take minutes: modules in Python are not
analysed, every extension module of the wheels counts as imported, the program is an empty file, the paths by which
libraries are linked are not rewritten, and our own package is not among the wheels.
"""

from __future__ import annotations

import os
import platform
import re
import site
import sys
import sysconfig
import urllib.request  # noqa: F401  (on macOS, it needs a module that only a Mac has)
import zipfile
from collections.abc import Sequence
from importlib.metadata import distribution
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

# What is imported of PySide6; PyInstaller finds the rest by links and by its table of plugins.
_SOURCES = (file.read_text(encoding="utf-8") for file in (Path(__file__).resolve().parents[2] / "app").rglob("*.py"))
QT_MODULES = sorted({name for source in _SOURCES for name in re.findall(r"from PySide6\.(Qt\w+) import", source)})
_CODE = re.compile(
    r"\.(so|dylib|metallib)$|/translations/qtbase_\w+\.qm$|\.framework/Versions/A/(\w+|Resources/Info\.plist)$"
    r"|^pypdfium2\w*/version\.json$"
)

PACKAGING, OUT, MACOS = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
SITE, WORK = OUT / "site-packages", OUT / "work"


for wheel in sys.argv[4:]:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(SITE, filter(_CODE.search, packed.namelist()))
sysconfig.get_config_vars()
sys.platform = "darwin"
platform.mac_ver = lambda *_: (MACOS, ("", "", ""), "arm64")
site.getsitepackages = lambda *_: [str(SITE)]
# PyInstaller reads the paths of libraries in the interpreter, which has to be of the same system.
sys.executable = str(next(SITE.glob("_cffi_backend*.so")))

from PyInstaller.building import api, build_main, osx  # noqa: E402
from PyInstaller.building.datastruct import normalize_toc, toc_process_symbolic_links  # noqa: E402
from PyInstaller.config import CONF  # noqa: E402
from PyInstaller.depend.bindepend import binary_dependency_analysis, classify_binary_vs_data  # noqa: E402
from PyInstaller.utils import hooks  # noqa: E402
from PyInstaller.utils.hooks.qt import QtLibraryInfo  # noqa: E402

# A file, and its folder in the bundle.
Pair = tuple[str, str]


def qt_files() -> list[Pair]:
    """Return the plugins and translations that PyInstaller's hooks collect for QT_MODULES."""
    qt = SITE / "PySide6" / "Qt"
    paths = {name: str(qt / name.lower()) for name in ("Plugins", "Translations")}
    info = QtLibraryInfo("PySide6")
    info.version, info.qt_lib_dir, info.qt_rel_dir = [6], qt / "lib", "PySide6/Qt"
    info.location = {f"{name}Path": path for name, path in paths.items()} | {"PrefixPath": str(qt)}
    info._load_module_info()
    hooks.get_module_file_attribute = lambda name: str(SITE / f"{name.replace('.', '/')}.abi3.so")
    collected = [info.collect_module(f"PySide6.{name}") for name in QT_MODULES]
    return [pair for _, plugins, translations in collected for pair in [*plugins, *translations]]


def analysis(_: object, *, excludes: Sequence[str], datas: Sequence[Pair], **__: object) -> SimpleNamespace:
    """Return the binaries of a Mac's bundle, and the data files that are given, as PyInstaller's Analysis has them."""
    excluded = tuple(f"{name.replace('.', '/')}{end}" for name in excludes for end in "/.")
    found = [(str(file.relative_to(SITE)), str(file), "EXTENSION") for file in sorted(SITE.rglob("*.so"))]
    used = tuple(f"PySide6/{name}." for name in QT_MODULES)
    found = [entry for entry in found if not entry[0].startswith(excluded)]
    found = [entry for entry in found if entry[0].startswith(used) or not entry[0].startswith("PySide6/")]
    for file, folder in [*qt_files(), *datas]:
        if Path(file).is_file():
            found.append((f"{folder}/{Path(file).name}", file, classify_binary_vs_data(file) or "DATA"))
    code = [entry for entry in found if entry[2] != "DATA"]
    found += binary_dependency_analysis(code, symlink_suppression_patterns=())
    found = toc_process_symbolic_links(normalize_toc(found))
    found = normalize_toc(osx.osxutils.collect_files_from_framework_bundles(found))
    code = [entry for entry in found if entry[2] in ("BINARY", "EXTENSION")]
    others = [entry for entry in found if entry not in code]
    return SimpleNamespace(scripts=[], pure=[], binaries=code, datas=others)


def data_files(package: str, excludes: Sequence[str] = (), **_: object) -> list[Pair]:
    """Return every file of a package but its modules and `excludes`, as PyInstaller does: libraries too."""
    excluded = {SITE / package / path for path in excludes}
    files = [file for file in (SITE / package).rglob("*") if file.is_file() and file.suffix != ".so"]
    files = [file for file in files if not excluded & {file, *file.parents}]
    return [(str(file), str(file.parent.relative_to(SITE))) for file in files]


def metadata(package: str) -> list[Pair]:
    """Return the files of a package's description, which are the same on every system."""
    files = [file for file in distribution(package).files or () if ".dist-info/" in str(file)]
    return [(str(file.locate()), str(file.parent)) for file in files]


def replace_what_needs_a_mac() -> None:
    program, icon = WORK / "Tandem", WORK / "Tandem.icns"
    program.touch()
    icon.write_bytes(b"icns")
    hooks.get_package_paths = lambda _: (str(SITE), "")
    hooks.collect_submodules = lambda *_, **__: []
    hooks.collect_data_files, hooks.copy_metadata = data_files, metadata
    build_main.Analysis = analysis
    api.PYZ = lambda *_: None
    api.EXE = lambda *_, **__: [("Tandem", str(program), "EXECUTABLE")]
    api.COLLECT = lambda *entries, **_: [*chain(*entries)]
    osx.BUNDLE.upx_exclude = []
    osx.process_collected_binary = lambda source, *_, **__: source
    osx.osxutils.sign_binary = lambda *_, **__: None
    CONF.update(workpath=str(WORK), distpath=str(OUT), specpath=str(PACKAGING / "bundle"), cachedir=str(WORK))
    os.environ.update(TANDEM_VERSION="1.2.3", TANDEM_MACOS=MACOS, TANDEM_ICON=str(icon))


def main() -> None:
    WORK.mkdir()
    replace_what_needs_a_mac()
    spec = PACKAGING / "bundle" / "tandem.spec"
    names = {"SPECPATH": str(spec.parent), "workpath": str(WORK)}
    exec(compile(spec.read_text(encoding="utf-8"), str(spec), "exec"), names)
    sys.path.insert(0, str(PACKAGING))
    import verify

    app = OUT / "Tandem.app"
    print(*verify.wrong_files(app), *verify.unloadable_libraries(app), sep="\n")


if __name__ == "__main__":
    main()
