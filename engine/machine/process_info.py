"""macOS's own objects, through the C interface of the Objective-C runtime: messages to them, power and heat.

`caffeinate` could keep the Mac awake, but not this process out of App Nap, and it tells nothing of power and heat.
pyobjc would add two packages to every bundle for the same few methods.
"""

from __future__ import annotations

import ctypes
import logging
import math
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
# After this many seconds without a request, a Mac on its battery measures models nonetheless.
PATIENCE_S = 300.0

# The types of Objective-C: an object (id), and the name of a method (SEL).
ID = ctypes.c_void_p
SELECTOR = ctypes.c_void_p


class ObjectiveC:
    """Sends messages through `runtime`, which is libobjc. Its methods may be called from any thread."""

    def __init__(self, runtime: Any) -> None:
        self._runtime = runtime
        for name, result, arguments in (
            ("objc_getClass", ID, [ctypes.c_char_p]),
            ("sel_registerName", SELECTOR, [ctypes.c_char_p]),
            ("objc_autoreleasePoolPush", ctypes.c_void_p, []),
            ("objc_autoreleasePoolPop", None, [ctypes.c_void_p]),
        ):
            function = getattr(runtime, name)
            function.restype = result
            function.argtypes = arguments
        self._message = ctypes.cast(runtime.objc_msgSend, ctypes.c_void_p).value or 0

    def class_named(self, name: bytes) -> Any:
        """Return a class, or None if there is none; messages to None are answered with nothing."""
        return self._runtime.objc_getClass(name)

    def string(self, text: str) -> Any:
        """Return an NSString, which goes with the pool."""
        return self.send(self.class_named(b"NSString"), b"stringWithUTF8String:", ID, (ctypes.c_char_p, text.encode()))

    def send(self, receiver: int | None, selector: bytes, result: Any, *arguments: tuple[Any, Any]) -> Any:
        """Send a message; `arguments` are pairs of C type and value. The function has the method's type."""
        method = ctypes.CFUNCTYPE(result, ID, SELECTOR, *(kind for kind, _ in arguments))(self._message)
        return method(receiver, self._runtime.sel_registerName(selector), *(value for _, value in arguments))

    def understands(self, receiver: int | None, selector: bytes) -> bool:
        """Whether an object has a method. A message that it does not understand would end the process."""
        asked = (SELECTOR, self._runtime.sel_registerName(selector))
        return bool(self.send(receiver, b"respondsToSelector:", ctypes.c_bool, asked))

    @contextmanager
    def pool(self) -> Iterator[None]:
        """Release the objects that macOS makes for these calls; threads of Python have no pool of their own."""
        pool = self._runtime.objc_autoreleasePoolPush()
        try:
            yield
        finally:
            self._runtime.objc_autoreleasePoolPop(pool)


class ProcessInfo(ObjectiveC):
    """NSProcessInfo of this process, called through `runtime`. Its methods may be called from any thread.

    Raises `AttributeError` if the runtime has no Foundation.
    """

    def __init__(self, runtime: Any) -> None:
        super().__init__(runtime)
        self._info = self.send(self.class_named(b"NSProcessInfo"), b"processInfo", ID)

    @property
    def low_power(self) -> bool:
        """Whether Low Power Mode is on."""
        return bool(self.send(self._info, b"isLowPowerModeEnabled", ctypes.c_bool))

    @property
    def hot(self) -> bool:
        """Whether heat slows this Mac down."""
        return int(self.send(self._info, b"thermalState", ctypes.c_long)) >= _SERIOUS

    def begin_activity(self, reason: str) -> int:
        """Begin what a person waits for, and return its token. `pmset -g assertions` shows the `reason`."""
        with self.pool():
            options = (ctypes.c_uint64, _USER_INITIATED)
            why = (ID, self.string(reason))
            token = self.send(self._info, b"beginActivityWithOptions:reason:", ID, options, why)
            return int(self.send(token, b"retain", ID) or 0)

    def end_activity(self, token: int) -> None:
        """End the activity of a token."""
        with self.pool():
            self.send(self._info, b"endActivity:", None, (ID, token))
            self.send(token, b"release", None)

    def name_program(self, name: str) -> None:
        """Make macOS call this program `name` in the menu bar, the Dock and its questions, instead of "Python".

        They read the name when the program first shows itself.
        """
        with self.pool():
            words = (ID, self.string(name))
            bundle = self.send(self.class_named(b"NSBundle"), b"mainBundle", ID)
            described = self.send(bundle, b"infoDictionary", ID)
            for key in ("CFBundleName", "CFBundleDisplayName"):
                self.send(described, b"setObject:forKey:", None, words, (ID, self.string(key)))
            self.send(self._info, b"setProcessName:", None, words)


@cache
def libobjc() -> Any:
    """Return the library of the Objective-C runtime, which macOS has, with Foundation loaded."""
    ctypes.CDLL(_FOUNDATION)
    return ctypes.CDLL(_RUNTIME)


@cache
def process_info() -> ProcessInfo | None:
    """Return NSProcessInfo, or None on other systems."""
    return ProcessInfo(libobjc()) if sys.platform == "darwin" else None


def slowed() -> str:
    """Return what slows this machine down now: "low-power", "hot", or "" if nothing does or the system does not say."""
    info = process_info()
    if info is None:
        return ""
    if info.low_power:
        return "low-power"
    return "hot" if info.hot else ""


def seconds_before_measuring() -> float:
    """Return how long nobody should have asked before a new model is measured: 0 with a power adapter or elsewhere.

    It is infinite in Low Power Mode. Asking macOS takes up to a millisecond.
    """
    if sys.platform != "darwin":
        return 0.0
    if slowed() == "low-power":
        return math.inf
    # Not at the top: the window's start imports this module.
    import psutil

    try:
        battery = psutil.sensors_battery()
    # The exception depends on the system's error.
    except Exception as error:
        log.info("psutil cannot read the battery: %s", error)
        return 0.0
    return PATIENCE_S if battery is not None and not battery.power_plugged else 0.0
