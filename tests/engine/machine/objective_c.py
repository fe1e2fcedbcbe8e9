"""An Objective-C runtime in C calling conventions, whose objects are NSProcessInfo and the main bundle."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

_WORD = ctypes.c_uint64
_SEND = ctypes.CFUNCTYPE(_WORD, _WORD, _WORD, _WORD, _WORD)
_LOOK_UP = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
_PUSH, _POP = ctypes.CFUNCTYPE(ctypes.c_void_p), ctypes.CFUNCTYPE(None, ctypes.c_void_p)
# As Foundation's headers number it: all that a user has begun, which includes "no idle sleep".
USER_INITIATED = 0x00FFFFFF


class Runtime:
    """What `ctypes.CDLL` would be of libobjc; counts the activities that are open, with their reasons."""

    def __init__(self) -> None:
        self.low_power, self.thermal_state = False, 0
        self.process_name = "Python"
        self.bundle: dict[str, str] = {}
        self.open: dict[int, str] = {}
        self.pools = self.begun = 0
        self._names: list[bytes] = [b""]
        self._strings: dict[int, bytes] = {}
        self._retained: set[int] = set()
        self.objc_getClass, self.sel_registerName = _LOOK_UP(self._number), _LOOK_UP(self._number)
        self.objc_autoreleasePoolPush, self.objc_autoreleasePoolPop = _PUSH(self._push), _POP(self._pop)
        self.objc_msgSend = _SEND(self._send)

    def name(self, number: int) -> bytes:
        """The name of a class or a selector."""
        return self._names[number]

    def _number(self, name: bytes) -> int:
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def _push(self) -> int:
        self.pools += 1
        return 1

    def _pop(self, _pool: int) -> None:
        self.pools -= 1

    def _send(self, receiver: int, selector: int, first: int, second: int) -> int:
        return int(self.answers(receiver, first, second)[self.name(selector)]())

    def answers(self, receiver: int, first: int, second: int) -> dict[bytes, Callable[[], Any]]:
        """What each method does and returns."""
        return {
            b"processInfo": lambda: 100,
            b"isLowPowerModeEnabled": lambda: int(self.low_power),
            b"thermalState": lambda: self.thermal_state,
            b"stringWithUTF8String:": lambda: self._string(first),
            b"beginActivityWithOptions:reason:": lambda: self._begin(first, second),
            b"retain": lambda: self._retained.add(receiver) or receiver,
            b"release": lambda: self._retained.discard(receiver) or 0,
            b"endActivity:": lambda: self.open.pop(first) and 0,
            b"mainBundle": lambda: 101,
            b"infoDictionary": lambda: 102,
            b"setObject:forKey:": lambda: self._describe(first, second),
            b"setProcessName:": lambda: self._name_process(first),
        }

    def _string(self, at: int) -> int:
        number = 300 + len(self._strings)
        self._strings[number] = ctypes.string_at(at)
        return number

    def _begin(self, options: int, reason: int) -> int:
        assert options == USER_INITIATED
        # What is made inside goes with the pool unless it is retained.
        assert self.pools == 1
        self.begun += 1
        self.open[200 + self.begun] = self._strings[reason].decode()
        return 200 + self.begun

    def _describe(self, value: int, key: int) -> int:
        assert self.pools == 1
        self.bundle[self._strings[key].decode()] = self._strings[value].decode()
        return 0

    def _name_process(self, name: int) -> int:
        self.process_name = self._strings[name].decode()
        return 0

    @property
    def leaks(self) -> bool:
        """Whether a pool is open, or a token retained whose activity has ended, or the other way round."""
        return bool(self.pools) or self._retained != self.open.keys()
