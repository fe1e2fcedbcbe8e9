"""Look into a finished disk image: it opens, and the app in it is the one that was put there, with its seal.

    python packaging/check_image.py IMAGE APP

APP is the app that the image was made of. What copies it into the image may fail without an exit code. Gatekeeper is
asked where the image was notarised, as `sign.py` does that. Raises `SystemExit` with all problems.
"""

from __future__ import annotations

import filecmp
import os
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from sign import run


def main(image: str, app: str) -> None:
    """Open the image, compare the app in it with APP, and have macOS check both."""
    source = Path(app)
    run("hdiutil", "verify", image)
    with tempfile.TemporaryDirectory() as folder:
        volume = Path(folder) / "volume"
        volume.mkdir()
        run("hdiutil", "attach", "-readonly", "-nobrowse", "-noautoopen", "-mountpoint", volume, image)
        try:
            check(volume, source)
        finally:
            run("hdiutil", "detach", "-force", volume)
    if is_notarised():
        run("xcrun", "stapler", "validate", image)


def is_notarised() -> bool:
    """Return whether `sign.py` has had the products of this build notarised."""
    return all(os.environ.get(name) for name in ("TANDEM_SIGNING_IDENTITY", "TANDEM_NOTARY_PROFILE"))


def check(volume: Path, source: Path) -> None:
    """Check the parts of an opened image that a person sees. Raises `SystemExit` with all problems."""
    copied = volume / source.name
    problems = [*differences(source, copied)]
    applications = volume / "Applications"
    if not applications.is_symlink() or str(applications.readlink()) != "/Applications":
        problems.append("the link to Applications is missing")
    if problems:
        raise SystemExit("\n".join(problems))
    run("codesign", "--verify", "--deep", "--strict", "--verbose=2", copied)
    if is_notarised():
        run("spctl", "--assess", "--type", "execute", "--verbose=2", copied)


def differences(source: Path, copied: Path) -> Iterator[str]:
    """Yield how a copied folder differs from its source: files, links, and what may be executed."""
    originals = contents(source)
    copies = contents(copied)
    for name in sorted(originals.keys() ^ copies.keys()):
        yield f"{name} is {'missing in' if name in originals else 'only in'} the image"
    for name in sorted(originals.keys() & copies.keys()):
        original = originals[name]
        copy = copies[name]
        if original.is_symlink() or copy.is_symlink():
            is_same = original.is_symlink() and copy.is_symlink() and original.readlink() == copy.readlink()
        else:
            is_same = filecmp.cmp(original, copy, shallow=False)
            is_same = is_same and os.access(original, os.X_OK) == os.access(copy, os.X_OK)
        if not is_same:
            yield f"{name} differs in the image"


def contents(folder: Path) -> dict[str, Path]:
    """Return the files and links below a folder by their relative paths, composed: HFS+ takes letters apart."""
    files = [file for file in folder.rglob("*") if file.is_symlink() or not file.is_dir()]
    return {unicodedata.normalize("NFC", file.relative_to(folder).as_posix()): file for file in files}


if __name__ == "__main__":
    main(*sys.argv[1:])
