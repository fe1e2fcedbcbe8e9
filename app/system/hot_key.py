"""A shortcut that works in every program: one of Carbon's hot keys, for which macOS asks no permission."""

from __future__ import annotations

import ctypes
import logging
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

log = logging.getLogger(__name__)
# By Qt's portable names. Carbon's codes of keys are places on an American keyboard.
_KEYS = {sign: code for code, sign in enumerate("ASDFHGZXCV BQWERYT123465 97 80 OU IP LJ K    NM") if sign != " "}
_KEYS |= {f"F{n}": code for n, code in enumerate(bytes.fromhex("7a78637660616264656d676f696b716a404f505a"), 1)}
_KEYS["Space"] = 0x31
# On macOS, Qt calls Command Ctrl, and Control Meta.
_MODIFIERS = {"Ctrl": 0x0100, "Alt": 0x0800, "Meta": 0x1000, "Shift": 0x0200}
_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
# kEventClassKeyboard and kEventHotKeyPressed, an EventTypeSpec.
_PRESSED = (ctypes.c_uint32 * 2)(int.from_bytes(b"keyb", "big"), 5)
# An EventHotKeyID, which is passed by value: two numbers of 32 bits in one register.
_ID = ctypes.c_uint64(1)
# kEventHotKeyExclusive: macOS refuses keys that another program has, instead of sharing them.
_EXCLUSIVE = 1


class HotKey:
    """The one shortcut of this process, through Carbon's library. On the Qt thread, which also calls `pressed`."""

    def __init__(self, carbon: Any) -> None:
        """Raises `OSError` or `AttributeError` if the library cannot be used."""
        self.pressed: Callable[[], object] = lambda: None
        self._carbon, self._keys, self._registered = carbon, "", ctypes.c_void_p()
        carbon.GetApplicationEventTarget.restype = ctypes.c_void_p
        self._target = ctypes.c_void_p(carbon.GetApplicationEventTarget())
        # Carbon keeps no reference to it.
        self._handler = _HANDLER(self._handle)
        if carbon.InstallEventHandler(self._target, self._handler, ctypes.c_ulong(1), _PRESSED, None, None):
            raise OSError("InstallEventHandler failed")

    def choose(self, keys: str) -> str:
        """Replace the shortcut by another, "" for none. Returns "", or why there is none now: "unusable" or "taken"."""
        if self._keys and keys != self._keys:
            self._carbon.UnregisterEventHotKey(self._registered)
            self._keys = ""
        if keys == self._keys:
            return ""
        *held, key = keys.split("+")
        if key not in _KEYS or not {*held} & {"Ctrl", "Alt", "Meta"} or not {*held} <= _MODIFIERS.keys():
            return "unusable"
        codes = _KEYS[key], sum(_MODIFIERS[one] for one in held)
        if self._carbon.RegisterEventHotKey(*codes, _ID, self._target, _EXCLUSIVE, ctypes.byref(self._registered)):
            return "taken"
        self._keys = keys
        return ""

    def _handle(self, _call: int, _event: int, _data: int) -> int:
        self.pressed()
        return 0


@cache
def hot_key() -> HotKey | None:
    """Return the shortcut of this process, or None on other systems."""
    if sys.platform != "darwin":
        return None
    try:
        return HotKey(ctypes.CDLL("/System/Library/Frameworks/Carbon.framework/Carbon"))
    except (OSError, AttributeError) as error:
        log.warning("macOS offers no shortcut that works in every program: %s", error)
        return None
