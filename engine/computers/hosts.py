"""The machines of a cluster, from their names or addresses. Imports no MLX."""

from __future__ import annotations

import errno
import ipaddress
import os
import re
import socket
import subprocess
from dataclasses import dataclass

from engine.computers.errors import ClusterError

_LOCAL = ("127.0.0.1", "localhost", "::1")
# Names that ssh does not mistake for an option or a command.
_NAME = re.compile(r"(?!-)[\w.@:%-]{1,255}")
# Seconds that ssh may take to read its configuration, which may run programs.
_SSH_S = 8.0
# Connections that wait to be accepted.
_BACKLOG = 8


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
    address_here = _own_address(reached[0]) if reached else "127.0.0.1"
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


def listen_at(address: str) -> socket.socket:
    """Return a socket that listens at an address of this machine only. Raises `OSError` if it is none.

    A scope that the address has is another machine's name of an interface.
    """
    plain = address.partition("%")[0]
    if ":" not in plain:
        return socket.create_server((plain, 0), backlog=_BACKLOG)
    if not ipaddress.IPv6Address(plain).is_link_local:
        return socket.create_server((plain, 0), family=socket.AF_INET6, backlog=_BACKLOG)
    # An address without a route belongs to one interface, and binding fails with any other.
    failure = OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    for scope, _name in socket.if_nameindex():
        try:
            return socket.create_server((plain, 0, 0, scope), family=socket.AF_INET6, backlog=_BACKLOG)
        except OSError as error:
            failure = error
    raise failure


def _address_of(name: str) -> str:
    """Return the address of a name that ssh knows, an IPv4 address if it has one. Raises `ClusterError`.

    A link-local IPv6 address has its scope, as in "fe80::1%en0".
    """
    host = name.rpartition("@")[2]
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        addresses = _addresses(name, host)
    # What is no name in the network, as with two dots beside each other, raises UnicodeError.
    except (OSError, UnicodeError) as error:
        raise ClusterError("no-address", name) from error
    # For a name in .local, macOS usually tells the link-local IPv6 address first, which is of one interface only.
    return min(addresses, key=lambda address: (":" in address, "%" in address))


def _addresses(name: str, host: str) -> list[str]:
    """Return the addresses of a host, or of the one that ssh's configuration has for `name`. Raises `OSError`."""
    try:
        return _resolved(host)
    except OSError:
        configured = _configured_host(name)
        if configured in ("", host.lower()):
            raise
        return _resolved(configured)


def _resolved(host: str) -> list[str]:
    """Return the addresses of a host; addresses of IPv6 have their scopes. Raises `OSError`."""
    numeric = socket.NI_NUMERICHOST | socket.NI_NUMERICSERV
    entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [socket.getnameinfo(address, numeric)[0] for _, _, _, _, address in entries]


def _configured_host(name: str) -> str:
    """Return the host that ssh's configuration has for a name, else the name itself; "" if ssh does not say."""
    try:
        done = subprocess.run(
            ["ssh", "-G", name], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SSH_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return next((line.partition(" ")[2] for line in done.stdout.splitlines() if line.startswith("hostname ")), "")


def _own_address(other: Machine) -> str:
    """Return the address that this machine uses towards another; nothing is sent. Raises `ClusterError`."""
    try:
        family, _, _, _, address = socket.getaddrinfo(other.address, 9, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(address)
            return str(probe.getsockname()[0])
    except OSError as error:
        raise ClusterError("no-address", other.name) from error
