"""A root file system made of packages, which stands for one of GitHub's Linux machines.

debootstrap makes it: of Ubuntu on Ubuntu, elsewhere of this machine's own distribution, whose packages have the same
names. It needs root, and this machine's ways to the packages and to pip's index are copied into it.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

# Of what GitHub's image lists for ubuntu-24.04, that which our steps use; libpython is part of setup-python's Python.
PACKAGES = ("binutils", "ca-certificates", "g++", "libpython3-stdlib", "python3", "python3-dev", "python3-venv", "sudo")
# How this machine reaches packages: its mirrors, certificates and names.
_WAYS = (
    "etc/apt/sources.list*",
    "etc/apt/apt.conf.d",
    "etc/pip.conf",
    "etc/ssl/certs/*.crt",
    "etc/resolv.conf",
    "etc/hosts",
)
# Enters the root "$1", with the folder "$2" at the same path, and runs the rest there. Mounts end with it. A chroot
# would not do: in one, nobody may make the namespace in which verify.py starts the app without a network.
_ENTER = """
mount --bind "$1" "$1"
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
mkdir -p "$1$2"
mount --bind "$2" "$1$2"
cd "$1"
pivot_root . mnt
umount --lazy /mnt
cd "$3"
shift 3
exec "$@"
"""


class PlayedRoot:
    """A root file system in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def made_of_packages(cls, folder: Path) -> PlayedRoot:
        """Make a root without anything that GitHub's machines lack. Raises subprocess.CalledProcessError."""
        release = Path("/etc/os-release").read_text(encoding="utf-8")
        suite = next(line for line in release.splitlines() if line.startswith("VERSION_CODENAME=")).partition("=")[2]
        options = ["--variant=minbase", f"--include={','.join(PACKAGES)}"]
        subprocess.run(["debootstrap", *options, suite, str(folder)], check=True, stdout=subprocess.DEVNULL)
        for way in (found for pattern in _WAYS for found in Path("/").glob(pattern)):
            there = folder / way.relative_to("/")
            if way.is_dir():
                shutil.copytree(way, there, dirs_exist_ok=True)
            else:
                shutil.copy(way, there)
        return cls(folder)

    def copy(self, folder: Path) -> PlayedRoot:
        """Return a machine that begins as this one is now."""
        subprocess.run(["cp", "--archive", str(self.folder), str(folder)], check=True)
        return PlayedRoot(folder)

    def run(self, command: list[str], place: Path, shared: Path, environment: Mapping[str, str]) -> tuple[bool, str]:
        """Run a command in the folder `place` within `shared`, which this root sees at the same path.

        Returns whether it succeeded, and all that it printed.
        """
        entered = ["unshare", "--mount", "--fork", "bash", "-ec", _ENTER, "bash", self.folder, shared, place, *command]
        done = subprocess.run(
            list(map(str, entered)), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return done.returncode == 0, done.stdout
