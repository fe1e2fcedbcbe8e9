"""What of the computer the tasks of a module may reach, and where Python and its libraries have their files.

`confinement` has the system enforce it. A module that declares nothing gets nothing beyond what its code needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# Where Tandem's code and its data are, and the folders of these.
_OWN = Path(__file__).resolve().parents[2]
_OWN_FOLDERS = ("engine", "app", "resources")
# Where systems have programs and libraries. No person keeps files of theirs there.
_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt", "/nix/store", "/gnu/store", "/snap"),
    *("/home/linuxbrew/.linuxbrew", "/System", "/Library", "/Applications"),
)
# What libraries read beside their own files. /proc has other processes, too.
_SYSTEM_FILES = (
    *("/etc/fonts", "/etc/ld.so.cache", "/etc/locale.alias", "/etc/localtime", "/etc/mime.types"),
    *("/etc/nsswitch.conf", "/etc/passwd"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu"),
    *("/dev/urandom", "/dev/random", "/dev/zero"),
)
# What programs read beside it: settings of the system, what distributions add to LibreOffice, and their own process.
_FOR_PROGRAMS = ("/etc", "/proc", "/var/lib/libreoffice", "/var/spool/libreoffice")
# Folders of a Python installation or of a program's.
_PARTS_OF_PREFIX = ("bin", "lib", "lib32", "lib64", "libexec", "share/tessdata")


@dataclass(frozen=True, slots=True)
class Access:
    """What tasks may do with files and programs of the computer. None may use the network."""

    # Whether they may read any file: one whose path they are told.
    reads: bool = False
    # Whether they may write any file.
    writes: bool = False
    # Whether they may start programs, which have the same access as the task.
    programs: bool = False

    def __or__(self, other: Access) -> Access:
        """Return what either has."""
        return Access(self.reads or other.reads, self.writes or other.writes, self.programs or other.programs)


# By the names of the modules that declared it.
_DECLARED: dict[str, Access] = {}


def declare_access(module: str, access: Access) -> None:
    """Declare what the tasks of a module need beyond what its code needs; call it in the module itself."""
    _DECLARED[module] = access


def access_of(modules: Iterable[str]) -> Access:
    """Return what the tasks of some modules, which are imported, need together."""
    access = Access()
    for module in modules:
        access |= _DECLARED.get(module, Access())
    return access


def readable_places(access: Access) -> list[Path]:
    """Return the files and folders that this process needs to read, as far as they exist, without links.

    No folder in which the person has their files is among them, even if Python looks for modules there.
    """
    places = [*_SYSTEM, *_SYSTEM_FILES, *_places_of_python(), *_libraries()]
    if access.programs:
        places += [*_FOR_PROGRAMS, *_places_of_programs()]
    home = _real(os.path.expanduser("~"))
    real = {_real(place) for place in places if os.path.isabs(place)}
    return sorted(place for place in real if place.exists() and not home.is_relative_to(place))


def _real(place: str | Path) -> Path:
    return Path(os.path.realpath(place))


def _places_of_python() -> Iterator[str | Path]:
    """Yield the folders of the interpreter, of its modules, and of Tandem."""
    # Python also looks for modules where it was started, which may be where the person has documents.
    yield from (folder for folder in sys.path if folder != _working_folder())
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    for prefix in map(Path, prefixes):
        yield prefix
        # If the person's folder is an environment, its parts are read.
        yield prefix / "pyvenv.cfg"
        yield from (prefix / part for part in _PARTS_OF_PREFIX)
    yield from (_OWN / name for name in _OWN_FOLDERS)
    if getattr(sys, "frozen", False):
        # On macOS, Contents/MacOS/Tandem; its libraries are in Contents/Frameworks, with links to Contents/Resources.
        yield _real(sys.executable).parents[1 if sys.platform == "darwin" else 0]


def _working_folder() -> str:
    """Return this process's working folder; "" if that was deleted."""
    with suppress(OSError):
        return os.getcwd()
    return ""


def _libraries() -> Iterator[str]:
    """Yield the folders in which the system looks for libraries by variables of the environment."""
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "FONTCONFIG_PATH"):
        yield from os.environ.get(name, "").split(os.pathsep)
    yield os.environ.get("FONTCONFIG_FILE", "")


def _places_of_programs() -> Iterator[Path]:
    """Yield the folders of the programs that are found by their names, and of what these need."""
    for folder in filter(None, os.environ.get("PATH", "").split(os.pathsep)):
        yield Path(folder)
        yield from (Path(folder).parent / part for part in _PARTS_OF_PREFIX)
