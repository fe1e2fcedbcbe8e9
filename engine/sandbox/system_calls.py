"""Which system calls this process may make, by a filter of Linux's seccomp.

The package pyseccomp needs libseccomp, which not all systems have; a list of calls to refuse needs no library.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator
from typing import NamedTuple

_NO_NEW_PRIVILEGES = 38
_SET_SECCOMP = 22
_FILTER_MODE = 2
# Offsets in the record that a filter gets, in bytes: the call's number, the processor's kind, and the lower halves of
# its first two arguments.
_NUMBER = 0
_PROCESSOR = 4
_FIRST = 16
_SECOND = 24
# Opcodes of the classic Berkeley Packet Filter: load a word, jump by a comparison, compute, and end.
_LOAD = 0x20
_IF_EQUAL = 0x15
_IF_AT_LEAST = 0x35
_IF_ANY_BIT = 0x45
_AND = 0x54
_END = 0x06
_ALLOWED = 0x7FFF0000
_REFUSED = 0x00050000 | errno.EPERM
# The caller gets 0, as if the call had been made.
_PRETENDED = 0x00050000
# The C library then makes the older call `clone`, whose flags a filter can see.
_UNKNOWN_CALL = 0x00050000 | errno.ENOSYS
_NEW_THREAD = 0x00010000
_UNIX_SOCKET = 1
_STREAM = 1
_KIND_OF_SOCKET = 0xF
# Numbers of x86-64's second way to make calls begin here.
_X32 = 0x40000000

# Calls with the same number on all processors: the rings of io_uring, which make calls past the filter, new mounts,
# and files of other processes.
_ALIKE = (425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442)
# fchmodat2, setxattrat, removexattrat, file_setattr.
_MARKS_ALIKE = (452, 463, 466, 469)
_CLONE3 = 435


class _Calls(NamedTuple):
    """The numbers of system calls on one kind of processor, whose number is `processor`."""

    processor: int
    socket: int
    connect: int
    # They wait for others at a socket.
    waiting: tuple[int, int]
    clone: int
    # They start a program, or copy the process.
    starting: tuple[int, ...]
    # They reach other processes, or change mounts, namespaces, keys or the kernel.
    foreign: tuple[int, ...]
    # They change whose a file is, who may read it, its dates and its notes, which Landlock does not restrict.
    marks: tuple[int, ...]


_X86_64 = _Calls(
    processor=0xC000003E,
    socket=41,
    connect=42,
    waiting=(49, 50),
    clone=56,
    starting=(57, 58, 59, 322),
    foreign=(
        *(101, 310, 311, 304),  # ptrace, process_vm_readv, process_vm_writev, open_by_handle_at
        *(155, 161, 165, 166, 272, 308),  # pivot_root, chroot, mount, umount2, unshare, setns
        *(248, 249, 250, 298, 321, 323),  # add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd
    ),
    marks=(
        *(90, 91, 268),  # chmod, fchmod, fchmodat
        *(92, 93, 94, 260),  # chown, fchown, lchown, fchownat
        *(132, 235, 261, 280),  # utime, utimes, futimesat, utimensat
        *(188, 189, 190, 197, 198, 199),  # setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr
    ),
)
_ARM64 = _Calls(
    processor=0xC00000B7,
    socket=198,
    connect=203,
    waiting=(200, 201),
    clone=220,
    starting=(221, 281),
    foreign=(
        *(117, 270, 271, 265),  # in the same order as for x86-64
        *(41, 51, 40, 39, 97, 268),
        *(217, 218, 219, 241, 280, 282),
    ),
    marks=(
        *(52, 53),  # fchmod, fchmodat
        *(54, 55),  # fchownat, fchown
        88,  # utimensat
        *(5, 6, 7, 14, 15, 16),
    ),
)
_CALLS = {"x86_64": _X86_64, "aarch64": _ARM64}


class _FilterStep(NamedTuple):
    """An instruction of the filter: if it compares, how many of the next ones are left out when that holds, or not."""

    opcode: int
    value: int
    if_so: int = 0
    if_not: int = 0


class _Program(ctypes.Structure):
    """What the system takes for a filter: the number of its steps, and where they are."""

    _fields_ = (("count", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def refuse_calls(*, programs: bool, marks: bool) -> bool:
    """Refuse system calls of the network, and foreign ones, to this thread and all that it starts, for ever.

    With `programs`, they may start others. LibreOffice needs a socket in /tmp, where a second one would find the first:
    it gets one that is nowhere, to which nothing can connect. With `marks`, they may change whose a file is and its
    dates. Returns whether the calls of this processor are known. Raises `OSError` if the system has no filters.
    """
    calls = _CALLS.get(os.uname().machine)
    # A 32-bit Python on a 64-bit system makes other calls.
    if calls is None or sys.maxsize < 2**32:
        return False
    steps = list(_steps(calls, programs=programs, marks=marks))
    packed = b"".join(struct.pack("=HBBI", step.opcode, step.if_so, step.if_not, step.value) for step in steps)
    program = _Program(len(steps), packed)
    libc = ctypes.CDLL(None, use_errno=True)
    set_up = libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(
        _SET_SECCOMP, _FILTER_MODE, ctypes.byref(program), 0, 0
    )
    if set_up:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return True


def _steps(calls: _Calls, *, programs: bool, marks: bool) -> Iterator[_FilterStep]:
    """Yield the steps of a filter."""
    yield _FilterStep(_LOAD, _PROCESSOR)
    yield from _end_unless(_IF_EQUAL, calls.processor, _REFUSED)
    yield _FilterStep(_LOAD, _NUMBER)
    yield from _end_if(_IF_AT_LEAST, _X32, _REFUSED)
    refused = [*_ALIKE, *calls.foreign, calls.connect]
    if not marks:
        refused += [*_MARKS_ALIKE, *calls.marks]
    if not programs:
        refused += [calls.socket, *calls.starting]
    for number in refused:
        yield from _end_if(_IF_EQUAL, number, _REFUSED)
    if programs:
        socket = [
            _FilterStep(_LOAD, _FIRST),
            *_end_unless(_IF_EQUAL, _UNIX_SOCKET, _REFUSED),
            _FilterStep(_LOAD, _SECOND),
            _FilterStep(_AND, _KIND_OF_SOCKET),
            *_end_unless(_IF_EQUAL, _STREAM, _REFUSED),
            _FilterStep(_END, _ALLOWED),
        ]
        yield _FilterStep(_IF_EQUAL, calls.socket, 0, len(socket))
        yield from socket
        for number in calls.waiting:
            yield from _end_if(_IF_EQUAL, number, _PRETENDED)
    else:
        yield from _end_if(_IF_EQUAL, _CLONE3, _UNKNOWN_CALL)
        clone = [_FilterStep(_LOAD, _FIRST), *_end_unless(_IF_ANY_BIT, _NEW_THREAD, _REFUSED)]
        yield _FilterStep(_IF_EQUAL, calls.clone, 0, len(clone))
        yield from clone
    yield _FilterStep(_END, _ALLOWED)


def _end_if(opcode: int, value: int, result: int) -> tuple[_FilterStep, _FilterStep]:
    return _FilterStep(opcode, value, 0, 1), _FilterStep(_END, result)


def _end_unless(opcode: int, value: int, result: int) -> tuple[_FilterStep, _FilterStep]:
    return _FilterStep(opcode, value, 1, 0), _FilterStep(_END, result)
