"""Power and heat: NSProcessInfo and the main bundle, through the C interface of the Objective-C runtime.

`caffeinate` could keep the Mac awake, but not this process out of App Nap, and it tells nothing of power and heat.
pyobjc would add two packages to every bundle for the same few methods.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

log = logging.getLogger(__name__)

_RUNTIME = "/usr/lib/libobjc.A.dylib"
_FOUNDATION = "/System/Library/Frameworks/Foundation.framework/Foundation"
# NSActivityUserInitiated: no idle sleep, no App Nap. The display may still turn off.
_USER_INITIATED = 0x00FFFFFF
# NSProcessInfoThermalStateSerious; from here on macOS slows the processors down.
_SERIOUS = 2

_ID, _SELECTOR = ctypes.c_void_p, ctypes.c_void_p


class ProcessInfo:
    """NSProcessInfo of this process, called through `runtime`. Its methods may be called from any thread.

    Raises `AttributeError` if the runtime has no Foundation.
    """

    def __init__(self, runtime: Any) -> None:
        self._runtime = runtime
        for name, result, arguments in (
            ("objc_getClass", _ID, [ctypes.c_char_p]),
            ("sel_registerName", _SELECTOR, [ctypes.c_char_p]),
            ("objc_autoreleasePoolPush", ctypes.c_void_p, []),
            ("objc_autoreleasePoolPop", None, [ctypes.c_void_p]),
        ):
            function = getattr(runtime, name)
            function.restype, function.argtypes = result, arguments
        self._message = ctypes.cast(runtime.objc_msgSend, ctypes.c_void_p).value or 0
        self._string, self._bundle = runtime.objc_getClass(b"NSString"), runtime.objc_getClass(b"NSBundle")
        kind = runtime.objc_getClass(b"NSProcessInfo")
        # A message to no class would be answered with nothing.
        if not (self._string and self._bundle and kind):
            raise AttributeError("NSProcessInfo")
        self._info = self._send(kind, b"processInfo", _ID)

    @property
    def low_power(self) -> bool:
        """Whether Low Power Mode is on."""
        return bool(self._send(self._info, b"isLowPowerModeEnabled", ctypes.c_bool))

    @property
    def hot(self) -> bool:
        """Whether heat slows this Mac down."""
        return int(self._send(self._info, b"thermalState", ctypes.c_long)) >= _SERIOUS

    def begin_activity(self, reason: str) -> int:
        """Begin what a person waits for, and return its token. `pmset -g assertions` shows the `reason`."""
        with self._pool():
            options, why = (ctypes.c_uint64, _USER_INITIATED), (_ID, self._words(reason))
            token = self._send(self._info, b"beginActivityWithOptions:reason:", _ID, options, why)
            return int(self._send(token, b"retain", _ID) or 0)

    def end_activity(self, token: int) -> None:
        """End the activity of a token."""
        with self._pool():
            self._send(self._info, b"endActivity:", None, (_ID, token))
            self._send(token, b"release", None)

    def name_program(self, name: str) -> None:
        """Have macOS call this program `name` in the menu bar, the Dock and its questions, instead of "Python".

        They read the name when the program first shows itself.
        """
        with self._pool():
            bundle = self._send(self._bundle, b"mainBundle", _ID)
            described = self._send(bundle, b"infoDictionary", _ID)
            key = (_ID, self._words("CFBundleName"))
            self._send(described, b"setObject:forKey:", None, (_ID, self._words(name)), key)

    def _words(self, text: str) -> Any:
        """Return an NSString, which goes with the pool."""
        return self._send(self._string, b"stringWithUTF8String:", _ID, (ctypes.c_char_p, text.encode()))

    def _send(self, receiver: int | None, selector: bytes, result: Any, *arguments: tuple[Any, Any]) -> Any:
        """Send a message; `arguments` are pairs of C type and value. The function's type is that of the method."""
        method = ctypes.CFUNCTYPE(result, _ID, _SELECTOR, *(kind for kind, _ in arguments))(self._message)
        return method(receiver, self._runtime.sel_registerName(selector), *(value for _, value in arguments))

    @contextmanager
    def _pool(self) -> Iterator[None]:
        """Release the objects that macOS makes for these calls; threads of Python have no pool of their own."""
        pool = self._runtime.objc_autoreleasePoolPush()
        try:
            yield
        finally:
            self._runtime.objc_autoreleasePoolPop(pool)


@cache
def process_info() -> ProcessInfo | None:
    """Return NSProcessInfo, or None on other systems."""
    if sys.platform != "darwin":
        return None
    try:
        ctypes.CDLL(_FOUNDATION)
        return ProcessInfo(ctypes.CDLL(_RUNTIME))
    except (OSError, AttributeError) as error:
        log.warning("macOS tells nothing of power and heat: %s", error)
        return None


def slowed() -> str:
    """Return what slows this machine down now: "low-power", "hot", or "" if nothing does or the system does not say."""
    info = process_info()
    if info is None:
        return ""
    return "low-power" if info.low_power else "hot" if info.hot else ""
