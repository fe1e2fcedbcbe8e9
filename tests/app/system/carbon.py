"""Carbon's library in C calling conventions, as far as hot keys need it."""

from __future__ import annotations

import ctypes
from typing import Any

_NUMBER, _POINTER = ctypes.c_uint32, ctypes.c_void_p
_TARGET, _EXISTS = 0x1_2345_6789, -9878
_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int32, _POINTER, _POINTER, _POINTER)


class Carbon:
    """What `ctypes.CDLL` would be. `registered` has the codes of key and modifiers by reference; `others` are taken.

    `error` is what it says of any keys, and `install_error` of the function that is called for them.
    """

    def __init__(self) -> None:
        self.registered: dict[int, tuple[int, int]] = {}
        self.others: set[tuple[int, int]] = set()
        self.error = self.install_error = 0
        self._made, self._handler = 0x7_0000_0000, 0
        self._kept: list[Any] = []
        # The identity is a struct of two numbers, which is passed like one number of 64 bits.
        register = [_NUMBER, _NUMBER, ctypes.c_uint64, _POINTER, _NUMBER, ctypes.POINTER(_POINTER)]
        install = [_POINTER, _POINTER, ctypes.c_ulong, ctypes.POINTER(_NUMBER), _POINTER, _POINTER]
        self.GetApplicationEventTarget = self._in_c(lambda: _TARGET, [], _POINTER)
        self.InstallEventHandler = self._in_c(self._install, install)
        self.RegisterEventHotKey = self._in_c(self._register, register)
        self.UnregisterEventHotKey = self._in_c(lambda reference: self.registered.pop(reference) and 0, [_POINTER])

    def _in_c(self, function: Any, arguments: list[Any], result: Any = ctypes.c_int32) -> Any:
        """Return a C function as a library has it: without the types of its arguments."""
        made = ctypes.CFUNCTYPE(result, *arguments)(function)
        self._kept.append(made)
        return ctypes.CFUNCTYPE(ctypes.c_int32)(ctypes.cast(made, _POINTER).value)

    def _install(self, target: int, handler: int, count: int, kinds: Any, _data: int, _reference: int) -> int:
        assert (target, count) == (_TARGET, 1)
        assert (kinds[0].to_bytes(4, "big"), kinds[1]) == (b"keyb", 5)
        self._handler = handler
        return self.install_error

    def _register(self, code: int, modifiers: int, _id: int, target: int, options: int, reference: Any) -> int:
        assert (target, options) == (_TARGET, 1)
        if (code, modifiers) in (*self.others, *self.registered.values()):
            return _EXISTS
        if self.error:
            return self.error
        self._made += 1
        reference[0] = self._made
        self.registered[self._made] = (code, modifiers)
        return 0

    @property
    def keys(self) -> list[tuple[int, int]]:
        """The codes of what is registered."""
        return list(self.registered.values())

    def press(self) -> int:
        """Press what is registered; returns what the handler answers."""
        assert self.registered
        return int(_HANDLER(self._handler)(None, None, None))
