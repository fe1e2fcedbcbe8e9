"""An Objective-C runtime with one window, as far as AppKit's methods are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.engine.machine.objective_c import Runtime

# As AppKit's headers number them.
BORDERLESS, RESIZABLE, NONACTIVATING = 0, 1 << 3, 1 << 7
JOINS_ALL_SPACES, MOVES_TO_ACTIVE_SPACE, FULL_SCREEN_AUXILIARY = 1 << 0, 1 << 1, 1 << 8
_WINDOW = 400


class Cocoa(Runtime):
    """What `ctypes.CDLL` would be of libobjc.

    The window is what Qt makes of a dialog. With `private`, macOS still has what tells the window server that a panel
    does not activate.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mask, self.behaviour = BORDERLESS | RESIZABLE, MOVES_TO_ACTIVE_SPACE | FULL_SCREEN_AUXILIARY
        self.private, self.prevents_activation, self.hides_with_program = True, False, True
        self.views: list[int] = []
        self.closed = 0

    def answers(self, receiver: int, first: int, second: int) -> dict[bytes, Callable[[], Any]]:
        return super().answers(receiver, first, second) | {
            b"window": lambda: self.views.append(receiver) or _WINDOW,
            b"styleMask": lambda: self.mask,
            b"setStyleMask:": lambda: self._set(receiver, mask=first),
            b"setCollectionBehavior:": lambda: self._set(receiver, behaviour=first),
            b"setCanHide:": lambda: self._set(receiver, hides_with_program=bool(first & 1)),
            b"respondsToSelector:": lambda: self.private and self.name(first) == b"_setPreventsActivation:",
            b"_setPreventsActivation:": lambda: self._set(receiver, prevents_activation=bool(first & 1)),
            b"close": lambda: self._set(receiver, closed=self.closed + 1),
        }

    def _set(self, window: int, **values: Any) -> int:
        assert (window, self.pools) == (_WINDOW, 1)
        both = JOINS_ALL_SPACES | MOVES_TO_ACTIVE_SPACE
        # AppKit raises an exception, which nobody catches.
        assert values.get("behaviour", 0) & both != both
        assert self.private or "prevents_activation" not in values
        vars(self).update(values)
        return 0
