"""Which files this process may use, by Linux's Landlock, which needs no rights.

It is three system calls, with the same numbers on every processor: a package would save a few lines, and leave open
whether it follows the kernel's versions.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

# The numbers of Landlock's system calls.
_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446
_ASK_VERSION = 1
_RULE_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38
# TCP: bind and connect; sockets by abstract names, and signals, of processes outside.
_NETWORK = 0b11
_OUTSIDE = 0b11

# Rights by the kernel's numbers, which are bits.
EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_FOLDER = 1 << 3
MOVE = 1 << 13
TRUNCATE = 1 << 14
USE_DEVICE = 1 << 15
READ = READ_FILE | READ_FOLDER
# To write files; to make and remove files of every kind, and folders; and to move them between folders.
WRITE = WRITE_FILE | sum(1 << bit for bit in range(4, 13)) | MOVE | TRUNCATE
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | USE_DEVICE
# The first version of Landlock that knows some rights. It refuses those that it does not know.
_SINCE = {MOVE: 2, TRUNCATE: 3, USE_DEVICE: 5}
_NETWORK_SINCE = 4
_OUTSIDE_SINCE = 6

# Linux's O_PATH: the file is named and not opened.
_PATH_ONLY = 0o10000000

_LIBC = ctypes.CDLL(None, use_errno=True)


def landlock_version() -> int:
    """Return the version of the kernel's Landlock; 0 if it has none, or if that is off."""
    with suppress(OSError):
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    return 0


def restrict_files(restricted: int, allowed: Iterable[tuple[Path, int]]) -> bool:
    """Take rights from this thread and what it starts, but for some files and all below some folders, for ever.

    TCP, signals to other processes, and their memory, are out of reach, too. Returns whether the kernel has Landlock.
    Raises `OSError` if it refuses the rules.
    """
    version = landlock_version()
    if not version:
        return False
    for right, since in _SINCE.items():
        if version < since:
            restricted &= ~right
    fields = [restricted, _NETWORK if version >= _NETWORK_SINCE else 0, _OUTSIDE if version >= _OUTSIDE_SINCE else 0]
    # Older versions refuse fields that they do not know, unless these are zero.
    attributes = struct.pack("=3Q", *fields)
    ruleset = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for place, rights in allowed:
            _add_rule(ruleset, place, rights & restricted)
        if _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError("no_new_privs")
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return True


def _add_rule(ruleset: int, place: Path, rights: int) -> None:
    """Allow rights for a file, or for all below a folder. Does nothing if it cannot be opened."""
    try:
        opened = os.open(place, _PATH_ONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_FILES
        if rights:
            _call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    finally:
        os.close(opened)


def _call(number: int, *arguments: object) -> int:
    """Make a system call. Raises `OSError`."""
    result = int(_LIBC.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
