"""What Qt leaves out for windows on macOS: a panel over every program, and a close that also leaves full screen."""

from __future__ import annotations

import ctypes
from functools import cache

from PySide6.QtGui import QGuiApplication

from engine.machine.process_info import ID, ObjectiveC, libobjc

# NSWindowStyleMaskNonactivatingPanel.
_NONACTIVATING = 1 << 7
# CanJoinAllSpaces and FullScreenAuxiliary. AppKit raises an exception for the former with Qt's MoveToActiveSpace.
_IN_EVERY_SPACE = 1 << 0 | 1 << 8
# This method is private. AppKit tells the window server of the mask only when it makes a panel, and Qt makes panels
# without it; a panel whose mask the server does not know gets no keyboard (FB16484811).
_PREVENTS = b"_setPreventsActivation:"


class MacWindows(ObjectiveC):
    """Sends messages to windows, which are named by their winId(). On the Qt thread."""

    def float_over_all(self, view: int) -> None:
        """Make a panel, as Qt makes of a dialog, get the keyboard in every Space while another program is active."""
        with self.pool():
            panel = self.send(view, b"window", ID)
            mask = self.send(panel, b"styleMask", ctypes.c_ulong)
            self.send(panel, b"setStyleMask:", None, (ctypes.c_ulong, mask | _NONACTIVATING))
            if self.understands(panel, _PREVENTS):
                self.send(panel, _PREVENTS, None, (ctypes.c_bool, True))
            self.send(panel, b"setCollectionBehavior:", None, (ctypes.c_ulong, _IN_EVERY_SPACE))
            # It shows also while Tandem is hidden.
            self.send(panel, b"setCanHide:", None, (ctypes.c_bool, False))

    def close(self, view: int) -> None:
        """Close a window. If Qt only hid it, one in full screen would leave its Space behind, black."""
        with self.pool():
            self.send(self.send(view, b"window", ID), b"close", None)


@cache
def mac_windows() -> MacWindows | None:
    """Return the sender of messages to windows, or None on other systems than macOS."""
    return MacWindows(libobjc()) if QGuiApplication.platformName() == "cocoa" else None
