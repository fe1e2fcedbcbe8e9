"""Whether macOS lets this process use the local network, which it asks the person about once for each app."""

from __future__ import annotations

import errno
import socket
import sys
from typing import Literal

LocalNetwork = Literal["allowed", "denied", "none"]

# An address that no network has (RFC 5737): choosing a route to it sends nothing.
_ELSEWHERE = ("192.0.2.1", 9)
# All computers of the local network (RFC 1112), and the port that discards what it gets. No router passes it on.
_ALL_HERE = ("224.0.0.1", 9)


def local_network() -> LocalNetwork:
    """Send one empty datagram to the local network, and return what became of it.

    "none" means that this computer is in no network. macOS refuses the datagram at once with the error of a host that
    cannot be reached. The first time it asks the person, and allows nothing until they have answered.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            own_address = probe.getsockname()[0]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own_address))
            probe.sendto(b"", _ALL_HERE)
    except OSError as error:
        return "denied" if _refuses(error) else "none"
    return "allowed"


def is_denied(error: OSError | str) -> bool:
    """Whether a connection failed because macOS denies this process the local network; `error` may be what ssh says."""
    unreached = "No route to host" in error if isinstance(error, str) else _refuses(error)
    return unreached and sys.platform == "darwin" and local_network() == "denied"


def _refuses(error: OSError) -> bool:
    return sys.platform == "darwin" and error.errno == errno.EHOSTUNREACH
