"""The machines of a cluster, from names or from a file in the form of `mlx.launch`. Imports no MLX."""

from __future__ import annotations

import ipaddress
import json
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.cluster.errors import ClusterError

_LOCAL = ("127.0.0.1", "localhost", "::1")
# Names that ssh does not mistake for an option or a command.
_NAME = re.compile(r"(?!-)[\w.@:%-]{1,255}")
_LARGEST_FILE = 2**20


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine: ssh connects to `name`, and the other machines to `address` ("" if it is not yet known).

    `command` starts Tandem there. `rdma[i]` is its device for the Thunderbolt connection to machine i, None for itself.
    """

    name: str
    address: str = ""
    command: tuple[str, ...] = ("tandem",)
    rdma: tuple[str | None, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether it is this machine, which needs no ssh."""
        return self.name in _LOCAL


@dataclass(frozen=True, slots=True)
class Machines:
    """The machines in the order of their ranks, this one first, and the backend that joins them."""

    all: tuple[Machine, ...]
    backend: str = "ring"

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each rank; names are different even if ranks share a machine."""
        names = [machine.name for machine in self.all]
        return tuple(f"{name} ({rank})" if names.count(name) > 1 else name for rank, name in enumerate(names))


def parse_machines(text: str) -> Machines:
    """Read machines from names with commas between them, or from the file at the path `text`.

    This machine is added as the first if it is not named. Raises `ClusterError`.
    """
    if text.endswith(".json") or "/" in text:
        return arranged(_of_file(Path(text)))
    return arranged([Machine(name.strip()) for name in text.split(",") if name.strip()])


def arranged(machines: Sequence[Machine]) -> Machines:
    """Arrange this machine first, then the others in their order, with addresses that all of them can reach.

    The backend is "jaccl" if every machine names a Thunderbolt device for each other one, else "ring". Raises
    `ClusterError`.
    """
    for machine in machines:
        if not _NAME.fullmatch(machine.name):
            raise ClusterError("bad-host", detail=machine.name[:80])
    others = [machine for machine in machines if not machine.is_local]
    own_ranks = [machine for machine in machines if machine.is_local] or [Machine("127.0.0.1")]
    if len(own_ranks) + len(others) < 2:
        raise ClusterError("too-few", detail=str(len(own_ranks) + len(others)))
    others = [machine if machine.address else replace(machine, address=_address_of(machine.name)) for machine in others]
    if not all(machine.address for machine in own_ranks):
        own = "127.0.0.1" if not others else _own_address(others[0])
        own_ranks = [machine if machine.address else replace(machine, address=own) for machine in own_ranks]
    ordered = [*own_ranks, *others]
    wired = all(_is_wired(machine, rank, len(ordered)) for rank, machine in enumerate(ordered))
    return Machines(tuple(ordered), "jaccl" if wired else "ring")


def _of_file(path: Path) -> list[Machine]:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise ValueError("it is too large")
        data = json.loads(path.read_text(encoding="utf-8"))
        hosts = data["hosts"] if isinstance(data, dict) else data
        return [_of_entry(entry) for entry in hosts]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ClusterError("bad-hosts-file", detail=f"{path}: {error}"[:200]) from error


def _of_entry(entry: Any) -> Machine:
    if isinstance(entry, str):
        return Machine(entry)
    addresses = entry.get("ips") or [""]
    command = entry.get("command") or ["tandem"]
    rdma = entry.get("rdma") or []
    if not all(isinstance(word, str) for word in [entry["ssh"], addresses[0], *command]):
        raise ValueError("names and addresses are texts")
    return Machine(entry["ssh"], addresses[0], tuple(command), tuple(rdma))


def _is_wired(machine: Machine, rank: int, ranks: int) -> bool:
    return len(machine.rdma) == ranks and all(
        (device is None) == (one == rank) for one, device in enumerate(machine.rdma)
    )


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


def _own_address(other: Machine) -> str:
    """Return the address that this machine uses towards another; nothing is sent. Raises `ClusterError`."""
    family = socket.AF_INET6 if ":" in other.address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((other.address, 9))
            return str(probe.getsockname()[0])
    except OSError as error:
        raise ClusterError("no-address", "127.0.0.1") from error
