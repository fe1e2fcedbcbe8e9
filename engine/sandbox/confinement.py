"""Keeps this process from the network, from files and from programs that its tasks do not need, by its system.

Linux has Landlock for files and seccomp for sockets and programs, macOS Seatbelt for both. What a system lacks is not
enforced: then the limits of time and memory remain.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from engine.sandbox.access import Access, readable_places

_NULL = Path("/dev/null")


def confine(access: Access, own_folder: Path) -> None:
    """Remove all rights but `access` from this process, and from all that it starts, for ever.

    Call it while the process has one thread: others keep what they may. Files can be written in `own_folder`.
    """
    if sys.platform == "darwin":
        from engine.sandbox.seatbelt import apply_profile

        with suppress(OSError):
            apply_profile(access, own_folder)
    elif sys.platform == "linux":
        # Each is of use without the other.
        with suppress(OSError):
            _restrict_files(access, own_folder)
        with suppress(OSError):
            _refuse_calls(access)


def _restrict_files(access: Access, own_folder: Path) -> None:
    from engine.sandbox.landlock import EXECUTE, MOVE, READ, USE_DEVICE, WRITE, WRITE_FILE, restrict_files

    allowed = [(place, READ) for place in readable_places(access)]
    allowed += [(_NULL, READ | WRITE_FILE), (own_folder, READ | WRITE)]
    # It is refused unless it is allowed somewhere.
    restricted = MOVE
    if not access.reads:
        restricted |= READ
    if access.writes:
        allowed.append((Path("/"), MOVE))
    else:
        restricted |= WRITE | USE_DEVICE
    if not access.programs:
        restricted |= EXECUTE
    restrict_files(restricted, allowed)


def _refuse_calls(access: Access) -> None:
    from engine.sandbox.system_calls import refuse_calls

    refuse_calls(programs=access.programs, marks=access.writes)
