"""Build what people install: Tandem.app in two disk images on macOS, a folder and an archive on Linux.

    python packaging/build.py [--out FOLDER] [--macos VERSION] [--only STEP]

It makes an environment from the pinned constraints, installs the wheel into it, lets PyInstaller collect the bundle,
writes the notices and the bill of materials, checks the result, and packs it. The same inputs give the same files; on
macOS, only signatures differ. packaging/README.md describes the settings and the reasons.

`--macos` makes one of the two images alone, and `--only` does one step of `STEPS`, after those before it were done: the
release workflow does each in a step of its own.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "bundle"))

import info_plist

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# The default time of every file of an archive, in seconds since 1970.
EPOCH = "1767225600"
# Ends of the folders of libraries that a wheel's tool rewrote.
_STRIP_NOTHING = (".libs", "/scipy_openblas32/lib")


@dataclass(frozen=True)
class Product:
    """The build for one system: the oldest macOS of its image, or "" for Linux, and where its parts lie."""

    out: Path
    version: str
    macos: str

    @property
    def python(self) -> Path:
        """The Python of the environment that the bundle is built in."""
        return self.out / "environment" / "bin" / "python"

    @property
    def bundle(self) -> Path:
        """The folder Tandem.app or Tandem, of the last system that was built for."""
        return self.out / "dist" / ("Tandem.app" if self.macos else "Tandem")

    @property
    def download(self) -> Path:
        """The file that people download."""
        if not self.macos:
            return self.out / f"Tandem-{self.version}-linux-{os.uname().machine}.tar.xz"
        system = f"macos{self.macos.partition('.')[0]}-" if self.macos != info_plist.OLDEST else ""
        return self.out / f"Tandem-{self.version}-{system}arm64.dmg"


def main() -> int:
    """Build everything for this system, or the parts that the arguments name; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "bundle", help="folder for everything that is made"
    )
    parser.add_argument("--macos", choices=[info_plist.WITH_NAX, info_plist.OLDEST], help="make one image alone")
    parser.add_argument("--only", choices=[*STEPS], help="do one step alone")
    arguments = parser.parse_args()
    out: Path = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    systems = (arguments.macos,) if arguments.macos else images()
    for place, macos in enumerate(systems):
        product = Product(out, version, macos)
        for name, step in STEPS.items():
            is_needed = bool(macos) or name not in _ON_MACOS
            is_new = name != "environment" or place == 0
            if arguments.only == name or (arguments.only is None and is_needed and is_new):
                step(product)
        print(f"{product.bundle}\n{product.download}")
    return 0


def images() -> tuple[str, ...]:
    """Return the oldest macOS of each disk image that this system can try; the last app stays in dist/."""
    if sys.platform != "darwin":
        return ("",)
    # The kernel's numbers: a Python that was built before macOS 26 is told that it is 16.0.
    newer = tuple(map(int, os.uname().release.split(".")[:2])) >= (25, 2)
    return (info_plist.WITH_NAX, info_plist.OLDEST) if newer else (info_plist.OLDEST,)


def run(*command: object, **more: str) -> None:
    """Run a command to its end. Raises subprocess.CalledProcessError if it fails."""
    # The seed for hashes gives sets the same order. The caller's own Python must not matter, nor when it was built: one
    # from before macOS 26 is told that this is macOS 16, where pip refuses MLX's wheel for 26.
    fixed = {
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", EPOCH),
        "SYSTEM_VERSION_COMPAT": "0",
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([str(part) for part in command], check=True, env={**inherited, **fixed, **more})


def make_environment(product: Product) -> None:
    """Make an environment with the wheel and the tools that build the bundle."""
    folder = product.out / "environment"
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "venv", folder)
    python = product.python
    constraints = ("-c", HERE / "constraints.txt", "-c", HERE / "tools.txt")
    run(python, "-m", "pip", "install", "-q", *constraints, ROOT, "-r", HERE / "tools.txt")
    # As the README's commands install it.
    run(python, "-m", "pip", "install", "-q", *constraints, "--no-deps", "mlx-vlm")
    if product.macos:
        run(python, HERE / "icon.py", ROOT / "resources" / "icons" / "tandem.svg", product.out / "Tandem.icns")


def take_mlx_for(macos: str, python: Path, folder: Path) -> None:
    """Replace MLX by its wheels for `macos`; pip took the wheels of the system that it runs on.

    Wheels for a newer macOS do not load on an older one. `verify.py` checks the other libraries.
    """
    # Wheels are named after the first release of a system.
    platform = f"macosx_{macos.partition('.')[0]}_0_arm64"
    wanted = ("--no-deps", "--only-binary", ":all:", "--platform", platform, "-c", HERE / "constraints.txt")
    run(python, "-m", "pip", "download", "-q", *wanted, "-d", folder, "mlx", "mlx-metal")
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", *sorted(folder.glob("*.whl")))


def collect(product: Product) -> None:
    """Collect the bundle, with the notices."""
    out = product.out
    bundle = product.bundle
    if product.macos:
        take_mlx_for(product.macos, product.python, out / "wheels" / product.macos)
    run(
        *(product.python, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"),
        *("--distpath", out / "dist", "--workpath", out / "work", HERE / "bundle" / "tandem.spec"),
        TANDEM_VERSION=product.version,
        TANDEM_MACOS=product.macos,
        TANDEM_ICON=str(out / "Tandem.icns"),
        # Otherwise a checkout in the working directory would be used instead of the installed package.
        PYTHONSAFEPATH="1",
    )
    if not product.macos:
        strip(bundle)
        run(product.python, HERE / "icu_data.py", bundle)
    run(product.python, HERE / "notices.py", bundle, product.version)


def sign_app(product: Product) -> None:
    """Sign the app, after its last file was written, and have it notarised."""
    run(product.python, HERE / "sign.py", product.bundle)


def verify(product: Product) -> None:
    """Check the files of the bundle, and that it works in another place."""
    run(product.python, HERE / "verify.py", product.bundle)


def strip(bundle: Path) -> None:
    """Strip symbols from the libraries, except those that a wheel's tool rewrote: they would be damaged."""
    for file in sorted(bundle.rglob("*.so*")):
        if not file.is_symlink() and not file.parent.as_posix().endswith(_STRIP_NOTHING):
            run("strip", "--strip-unneeded", file)


def pack(product: Product) -> None:
    """Make the file that people download."""
    bundle = product.bundle
    if product.macos:
        run(product.python, HERE / "disk_image.py", bundle, product.download)
        return
    date = int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH))

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = date
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with tarfile.open(product.download, "w:xz", format=tarfile.PAX_FORMAT) as packed:
        for file in [bundle, *sorted(bundle.rglob("*"))]:
            packed.add(file, Path("Tandem") / file.relative_to(bundle), recursive=False, filter=plain)


def sign_image(product: Product) -> None:
    """Sign the disk image, and have it notarised."""
    run(product.python, HERE / "sign.py", product.download)


def check_image(product: Product) -> None:
    """Look into the disk image for the app that was put there."""
    run(product.python, HERE / "check_image.py", product.download, product.bundle)


# In this order. A step finds what those before it have left in the folder.
STEPS: dict[str, Callable[[Product], None]] = {
    "environment": make_environment,
    "collect": collect,
    "sign-app": sign_app,
    "verify": verify,
    "pack": pack,
    "sign-image": sign_image,
    "check-image": check_image,
}
_ON_MACOS = ("sign-app", "sign-image", "check-image")


if __name__ == "__main__":
    sys.exit(main())
