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
_KEYS = (
    {"1": 0x12, "2": 0x13, "3": 0x14, "4": 0x15, "5": 0x17, "6": 0x16, "7": 0x1A, "8": 0x1C, "9": 0x19, "0": 0x1D}
    | {"Q": 0x0C, "W": 0x0D, "E": 0x0E, "R": 0x0F, "T": 0x11, "Y": 0x10, "U": 0x20, "I": 0x22, "O": 0x1F, "P": 0x23}
    | {"A": 0x00, "S": 0x01, "D": 0x02, "F": 0x03, "G": 0x05, "H": 0x04, "J": 0x26, "K": 0x28, "L": 0x25}
    | {"Z": 0x06, "X": 0x07, "C": 0x08, "V": 0x09, "B": 0x0B, "N": 0x2D, "M": 0x2E, "Space": 0x31}
    | {"F1": 0x7A, "F2": 0x78, "F3": 0x63, "F4": 0x76, "F5": 0x60, "F6": 0x61, "F7": 0x62, "F8": 0x64, "F9": 0x65}
    | {"F10": 0x6D, "F11": 0x67, "F12": 0x6F, "F13": 0x69, "F14": 0x6B, "F15": 0x71, "F16": 0x6A, "F17": 0x40}
    | {"F18": 0x4F, "F19": 0x50, "F20": 0x5A}
)
# On macOS, Qt calls Command Ctrl, and Control Meta.
_MODIFIERS = {"Ctrl": 0x0100, "Alt": 0x0800, "Meta": 0x1000, "Shift": 0x0200}
_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
# kEventClassKeyboard and kEventHotKeyPressed, an EventTypeSpec.
_PRESSED = (ctypes.c_uint32 * 2)(int.from_bytes(b"keyb", "big"), 5)
# An EventHotKeyID, which is passed by value: two numbers of 32 bits in one register.
_ID = ctypes.c_uint64(1)
# kEventHotKeyExclusive: no program can register the keys later. Keys that another one registered without it, as most
# do, are accepted, and both programs answer.
_EXCLUSIVE = 1
# eventHotKeyExistsErr: macOS itself has the keys, or a program that registered them exclusively.
_EXISTS = -9878


class HotKey:
    """The one shortcut of this process, through Carbon's library. On the Qt thread, which also calls `pressed`."""

    def __init__(self, carbon: Any) -> None:
        """Raises `OSError` or `AttributeError` if the library cannot be used."""
        self.pressed: Callable[[], object] = lambda: None
        self._carbon = carbon
        self._keys = ""
        self._registered = ctypes.c_void_p()
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
        *modifiers, key = keys.split("+")
        if key not in _KEYS or not {*modifiers} & {"Ctrl", "Alt", "Meta"} or not {*modifiers} <= _MODIFIERS.keys():
            return "unusable"
        codes = _KEYS[key], sum(_MODIFIERS[modifier] for modifier in modifiers)
        error = self._carbon.RegisterEventHotKey(*codes, _ID, self._target, _EXCLUSIVE, ctypes.byref(self._registered))
        if error:
            return "taken" if error == _EXISTS else "unusable"
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
