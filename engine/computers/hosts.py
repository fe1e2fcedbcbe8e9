"""The machines of a cluster, from their names or addresses. Imports no MLX."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass

from engine.computers.errors import ClusterError

_LOCAL = ("127.0.0.1", "localhost", "::1")
# Names that ssh does not mistake for an option or a command.
_NAME = re.compile(r"(?!-)[\w.@:%-]{1,255}")


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine: ssh connects to `name`, and the other machines to `address`."""

    name: str
    address: str

    @property
    def is_local(self) -> bool:
        """Whether it is this machine, which needs no ssh."""
        return is_name_here(self.name)


@dataclass(frozen=True, slots=True)
class Machines:
    """The machines in the order of their ranks, this one first."""

    all: tuple[Machine, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each rank; names are different even if ranks share a machine."""
        names = [machine.name for machine in self.all]
        return tuple(f"{name} ({rank})" if names.count(name) > 1 else name for rank, name in enumerate(names))


def parse_machines(text: str) -> Machines:
    """Read machines from names with commas between them: this one first, and added if it is not named.

    They get addresses that all of them can reach. Raises `ClusterError` if a machine has none.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if not is_name(name):
            raise ClusterError("bad-host", detail=name[:80])
    own_ranks = [name for name in names if name in _LOCAL] or ["127.0.0.1"]
    others = [name for name in names if name not in _LOCAL]
    if len(own_ranks) + len(others) < 2:
        raise ClusterError("too-few", detail=str(len(own_ranks) + len(others)))
    reached = [Machine(name, _address_of(name)) for name in others]
    address_here = _own_address(reached[0].address) if reached else "127.0.0.1"
    return Machines((*(Machine(name, address_here) for name in own_ranks), *reached))


def is_name_here(name: str) -> bool:
    """Whether a name stands for this machine."""
    return name in _LOCAL


def is_name(text: str) -> bool:
    """Whether a text can be the name or the address of one machine."""
    return _NAME.fullmatch(text) is not None


def parse_machine(name: str) -> Machine:
    """Return the machine of a name or address. Raises `ClusterError` if it has no address."""
    if not is_name(name):
        raise ClusterError("bad-host", detail=name[:80])
    return Machine(name, "127.0.0.1" if name in _LOCAL else _address_of(name))


def _address_of(name: str) -> str:
    """Return the address of a name that ssh knows. Raises `ClusterError`."""
    host = name.rpartition("@")[2]
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except OSError as error:
        raise ClusterError("no-address", name) from error


def _own_address(other: str) -> str:
    """Return the address that this machine uses towards another; nothing is sent. Raises `ClusterError`."""
    family = socket.AF_INET6 if ":" in other else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((other, 9))
            return str(probe.getsockname()[0])
    except OSError as error:
        raise ClusterError("no-address", "127.0.0.1") from error
