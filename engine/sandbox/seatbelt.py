"""What this process may do on macOS, by a profile of Seatbelt.

The process sets it itself by `sandbox_init`, as browsers do in signed and notarized apps, when it has been started and
its modules are there: `sandbox-exec` in front of its command would have to allow starting it, and takes variables of
the environment that Python may need. Both are deprecated without a successor, and in macOS 15 to 27.

The profile allows what it does not name. One that names all that Vision, ImageIO and Metal use is different for each
macOS, and where it lacks one, no page is recognized, without an error. So it refuses the network, programs, writing,
the places where people have their files, and services that would do any of this for the process.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.sandbox.access import Access, readable_places

_LIBRARY = "/usr/lib/libsandbox.1.dylib"
# Where people have files: their folders, other disks, and what programs leave for a time.
_PLACES_OF_PEOPLE = ("/Users", "/Volumes", "/Network", "/private/tmp", "/private/var/tmp", "/private/var/folders")
# Vision compiles its models once for each version of macOS, and keeps them here.
_COMPILED_MODELS = r"/Library/Caches/(.*/)?com\.apple\.e5rt\.e5bundlecache(/|$)"
# They load from the network for whoever asks, or have the keychain.
_SERVICES = (
    *("com.apple.nsurlsessiond", "com.apple.dnssd.service"),
    *("com.apple.SecurityServer", "com.apple.securityd.xpc"),
)
# They start apps, and have the clipboard. An app such as LibreOffice may not start without them.
_SERVICES_OF_APPS = ("com.apple.coreservices.launchservicesd", "com.apple.pasteboard.1")


def apply_profile(access: Access, own_folder: Path) -> None:
    """Remove all rights but `access` from this process and all that it starts, for ever. Raises `OSError` if refused.

    Files can be written in `own_folder`.
    """
    initialize = ctypes.CDLL(_LIBRARY).sandbox_init
    initialize.argtypes = (ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_char_p))
    reason = ctypes.c_char_p()
    if initialize(profile_of(access, own_folder).encode(), 0, ctypes.byref(reason)):
        raise OSError((reason.value or b"").decode(errors="replace"))


def profile_of(access: Access, own_folder: Path) -> str:
    """Return the profile. Of its rules, the last one that applies counts."""
    return "\n".join(_rules(access, Path(os.path.realpath(own_folder))))


def _rules(access: Access, own_folder: Path) -> Iterator[str]:
    yield "(version 1)"
    yield "(allow default)"
    yield "(deny network*)"
    yield "(deny lsopen)"
    yield "(deny appleevent-send)"
    yield "(deny job-creation)"
    services = _SERVICES if access.programs else (*_SERVICES, *_SERVICES_OF_APPS)
    yield f"(deny mach-lookup {' '.join(f'(global-name {_quoted(name)})' for name in services)})"
    yield "(deny signal)"
    yield "(allow signal (target same-sandbox))"
    below_folder = _below([own_folder])
    if not access.programs:
        yield "(deny process-fork)"
        yield "(deny process-exec*)"
    if not access.reads:
        home = Path(os.path.realpath(os.path.expanduser("~")))
        yield f"(deny file-read-data {_below([*map(Path, _PLACES_OF_PEOPLE), home])})"
        yield f"(allow file-read-data {_below(readable_places(access))} {below_folder} {_regex(_COMPILED_MODELS)})"
    if not access.writes:
        yield "(deny file-write*)"
        yield f'(allow file-write* {below_folder} {_regex(_COMPILED_MODELS)} (literal "/dev/null"))'
    if access.programs:
        # LibreOffice makes one there, by which a second one would find it.
        socket = _regex("^/private/tmp/OSL_PIPE_")
        yield f"(allow network* (local unix-socket {socket}) (remote unix-socket {socket}))"
        yield f"(allow file-read* file-write* {socket})"


def _below(places: Iterable[Path]) -> str:
    """Return the filter for files and for what is in folders."""
    return " ".join(f"(subpath {_quoted(str(place))})" for place in places)


def _regex(expression: str) -> str:
    return f'(regex #"{expression}")'


def _quoted(text: str) -> str:
    """Return a string of the profile's language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
