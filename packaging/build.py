"""Build what people install: Tandem.app in two disk images on macOS, a folder and an archive on Linux.

    python packaging/build.py [--out FOLDER]

It makes an environment from the pinned constraints, installs the wheel into it, lets PyInstaller collect the bundle,
writes the notices and the bill of materials, checks the result, and packs it. The same inputs give the same files; on
macOS, only signatures differ. packaging/README.md describes the settings and the reasons.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "bundle"))

import info_plist

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# The default time of every file of an archive, in seconds since 1970.
EPOCH = "1767225600"
_STRIP_NOTHING = ".libs"


def main() -> int:
    """Build everything for this system; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "bundle", help="folder for everything that is made"
    )
    out: Path = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    python = make_environment(out / "environment")
    icon = out / "Tandem.icns"
    run(python, HERE / "icon.py", ROOT / "resources" / "icons" / "tandem.svg", icon)
    for macos in images():
        if macos:
            take_mlx_for(macos, python, out / "wheels" / macos)
        bundle = collect(python, out, version, icon, macos)
        run(python, HERE / "notices.py", bundle, version)
        if macos:
            run(python, HERE / "sign.py", bundle)
        run(python, HERE / "verify.py", bundle)
        print(f"{bundle}\n{pack(python, bundle, out, version, macos)}")
    return 0


def images() -> tuple[str, ...]:
    """Return the oldest macOS of each disk image that this system can try; the last app stays in dist/."""
    if sys.platform != "darwin":
        return ("",)
    # The kernel's numbers: a Python that was built before macOS 26 is told that it is 16.0.
    newer = tuple(map(int, os.uname().release.split(".")[:2])) >= (25, 2)
    return (info_plist.WITH_NAX, info_plist.OLDEST) if newer else (info_plist.OLDEST,)


def run(*command: object, **more: str) -> None:
    """Run a command to its end. Raises `CalledProcessError` if it fails."""
    # The seed for hashes gives sets the same order. The caller's own Python must not matter, nor when it was built: one
    # from before macOS 26 is told that this is macOS 16, where pip refuses MLX's wheel for 26.
    fixed = {
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", EPOCH),
        "SYSTEM_VERSION_COMPAT": "0",
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([str(part) for part in command], check=True, env={**inherited, **fixed, **more})


def make_environment(folder: Path) -> Path:
    """Make an environment with the wheel and the tools that build the bundle, and return its Python."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    constraints = ("-c", HERE / "constraints.txt", "-c", HERE / "tools.txt")
    run(python, "-m", "pip", "install", "-q", *constraints, ROOT, "-r", HERE / "tools.txt")
    # As the README's commands install it.
    run(python, "-m", "pip", "install", "-q", *constraints, "--no-deps", "mlx-vlm")
    return python


def take_mlx_for(macos: str, python: Path, folder: Path) -> None:
    """Replace MLX by its wheels for `macos`; pip took those of the system that it runs on.

    Wheels for a newer macOS do not load on an older one. `verify.py` checks the other libraries.
    """
    # Wheels are named after the first release of a system.
    platform = f"macosx_{macos.partition('.')[0]}_0_arm64"
    wanted = ("--no-deps", "--only-binary", ":all:", "--platform", platform, "-c", HERE / "constraints.txt")
    run(python, "-m", "pip", "download", "-q", *wanted, "-d", folder, "mlx", "mlx-metal")
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", *sorted(folder.glob("*.whl")))


def collect(python: Path, out: Path, version: str, icon: Path, macos: str) -> Path:
    """Collect the bundle, and return the folder Tandem or Tandem.app."""
    run(
        *(python, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"),
        *("--distpath", out / "dist", "--workpath", out / "work", HERE / "bundle" / "tandem.spec"),
        TANDEM_VERSION=version,
        TANDEM_MACOS=macos,
        TANDEM_ICON=str(icon),
        # Otherwise a checkout in the working directory would be used instead of the installed package.
        PYTHONSAFEPATH="1",
    )
    if sys.platform == "darwin":
        return out / "dist" / "Tandem.app"
    bundle = out / "dist" / "Tandem"
    strip(bundle)
    run(python, HERE / "icu_data.py", bundle)
    return bundle


def strip(bundle: Path) -> None:
    """Strip symbols from the libraries, except those that a wheel's tool rewrote: they would be damaged."""
    for file in sorted(bundle.rglob("*.so*")):
        if not file.is_symlink() and not file.parent.name.endswith(_STRIP_NOTHING):
            run("strip", "--strip-unneeded", file)


def pack(python: Path, bundle: Path, out: Path, version: str, macos: str) -> Path:
    """Make the file that people download, and return it."""
    if macos:
        system = f"macos{macos.partition('.')[0]}-" if macos != info_plist.OLDEST else ""
        image = out / f"Tandem-{version}-{system}arm64.dmg"
        run(python, HERE / "disk_image.py", bundle, image)
        run(python, HERE / "sign.py", image)
        return image
    archive = out / f"Tandem-{version}-linux-{os.uname().machine}.tar.xz"
    date = int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH))

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = date
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with tarfile.open(archive, "w:xz", format=tarfile.PAX_FORMAT) as packed:
        for file in [bundle, *sorted(bundle.rglob("*"))]:
            packed.add(file, Path("Tandem") / file.relative_to(bundle), recursive=False, filter=plain)
    return archive


if __name__ == "__main__":
    sys.exit(main())
