"""Allows one running window for each data folder: a second start brings the first window to the front.

The first process holds a lock, which the system releases when the process ends, and listens on a socket in a private
folder, whose path is in the lock's file. A connection means "come to the front"; nothing else is sent.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier

from engine.files import private_files

log = logging.getLogger(__name__)

# How long a start waits for another process that is starting, ending or busy.
_PATIENCE_S = 10.0
# Between two attempts.
_PAUSE_S = 0.1
# The name of the socket's file.
_SOCKET = "raise"
# The reply of a process whose window has come to the front.
_ANSWER = b"raised"
_PREFIX = "tandem-"
# The bytes of a socket's path: sockaddr_un.sun_path has 104 on macOS, with a zero at the end; Linux has 108.
_LONGEST_PATH = 103


class SingleInstance:
    """The lock is kept in `folder`; processes with the same `data` folder count as one app."""

    def __init__(self, folder: Path, data: Path) -> None:
        name = hashlib.sha256(str(data).encode()).hexdigest()[:16]
        self._path = folder / f"instance-{name}.lock"
        self._lock: int | None = None
        self._server: socket.socket | None = None
        self._notifier: QSocketNotifier | None = None
        self._socket_folder: Path | None = None

    def claim(self, patience_s: float = _PATIENCE_S) -> bool:
        """Become the first process. Return False if there is another one, which has come to the front.

        Return True also if the other one does not react within `patience_s` seconds, or if the lock cannot be created:
        a window that saves nothing and says so is better than none.
        """
        deadline = time.monotonic() + patience_s
        while True:
            try:
                if self._take_lock():
                    return True
            except OSError:
                log.info("no lock for a single instance at %s", self._path, exc_info=True)
                return True
            if self._raise_other(max(deadline - time.monotonic(), _PAUSE_S)):
                return False
            if time.monotonic() > deadline:
                log.info("another process is open and does not react")
                return True
            time.sleep(_PAUSE_S)

    def listen(self, come_to_front: Callable[[], bool], parent: QObject) -> None:
        """Call `come_to_front` on the Qt thread at each further start. It returns False if there is no window."""
        if self._lock is None:
            return
        try:
            self._socket_folder = _make_socket_folder()
            self._server = socket.socket(socket.AF_UNIX)
            self._server.bind(str(self._socket_folder / _SOCKET))
            self._server.listen()
            self._server.setblocking(False)
            os.pwrite(self._lock, str(self._socket_folder).encode(), 0)
        except OSError:
            log.info("a second start cannot raise this window", exc_info=True)
            return
        self._notifier = QSocketNotifier(self._server.fileno(), QSocketNotifier.Type.Read, parent)
        self._notifier.activated.connect(lambda *_: self._answer(come_to_front))

    def close(self) -> None:
        """Release the lock, so that the next start is the first. Safe to call twice."""
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier = None
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._socket_folder is not None:
            _remove(self._socket_folder)
            self._socket_folder = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _take_lock(self) -> bool:
        private_files.make_folder(self._path.parent)
        lock = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return False
        except OSError:
            os.close(lock)
            raise
        self._lock = lock
        # A process that was killed leaves its folder.
        stale = self._other_folder()
        if stale is not None:
            _remove(stale)
        os.ftruncate(lock, 0)
        return True

    def _other_folder(self) -> Path | None:
        """Return the socket folder of the process that wrote the lock's file last, if the content is plausible."""
        with suppress(OSError, UnicodeDecodeError):
            folder = Path(self._path.read_text())
            if folder.is_absolute() and folder.name.startswith(_PREFIX) and folder.stat().st_uid == os.getuid():
                return folder
        return None

    def _raise_other(self, patience_s: float) -> bool:
        folder = self._other_folder()
        if folder is None:
            return False
        with suppress(OSError), socket.socket(socket.AF_UNIX) as other:
            other.settimeout(patience_s)
            other.connect(str(folder / _SOCKET))
            return other.recv(len(_ANSWER)) == _ANSWER
        return False

    def _answer(self, come_to_front: Callable[[], bool]) -> None:
        if self._server is None:
            return
        with suppress(OSError):
            caller, _ = self._server.accept()
            with caller:
                if come_to_front():
                    caller.sendall(_ANSWER)


def _make_socket_folder() -> Path:
    """Make a private folder for the socket, and return it.

    It is among the temporary files, or in /tmp if the path of its socket would be too long there: TMPDIR may be any
    folder. Raises OSError.
    """
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    if len(os.fsencode(folder / _SOCKET)) <= _LONGEST_PATH:
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix=_PREFIX, dir="/tmp"))


def _remove(folder: Path) -> None:
    with suppress(OSError):
        (folder / _SOCKET).unlink(missing_ok=True)
        folder.rmdir()
