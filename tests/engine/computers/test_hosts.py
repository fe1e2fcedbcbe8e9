"""Addresses of other machines: which of several is taken, and at which one a machine listens."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from engine.computers.errors import ClusterError
from engine.computers.hosts import Machine, listen_at, parse_machine, parse_machines

STUDIO = "studio.local"
INTERFACE, NAME = socket.if_nameindex()[0]
LINK_LOCAL = (socket.AF_INET6, ("fe80::10:20ff:fe30:4050", 0, 0, INTERFACE))
GLOBAL = (socket.AF_INET6, ("2001:db8::7", 0, 0, 0))
PLAIN = (socket.AF_INET, ("192.0.2.7", 0))
SCOPED = f"fe80::10:20ff:fe30:4050%{NAME}"


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """What each name resolves to, in this order; numeric addresses resolve as they do."""
    known: dict[str, list[Any]] = {}
    resolve = socket.getaddrinfo

    def getaddrinfo(host: str, port: int | None, **hints: Any) -> list[Any]:
        if host in known:
            return [(family, socket.SOCK_STREAM, 6, "", address) for family, address in known[host]]
        return resolve(host, port, flags=socket.AI_NUMERICHOST, **hints)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return known


def write_ssh(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put an `ssh` on PATH that runs this script."""
    (folder / "ssh").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.mark.parametrize(
    ("entries", "address"),
    [
        ([LINK_LOCAL, PLAIN], "192.0.2.7"),
        ([LINK_LOCAL, GLOBAL, PLAIN], "192.0.2.7"),
        ([LINK_LOCAL, GLOBAL], "2001:db8::7"),
        ([LINK_LOCAL], SCOPED),
        ([PLAIN, (socket.AF_INET, ("192.0.2.8", 0))], "192.0.2.7"),
    ],
)
def test_a_name_has_an_address_that_can_be_connected_to(
    entries: list[Any], address: str, resolver: dict[str, list[Any]]
) -> None:
    """macOS tells the link-local address of IPv6 first, which without its scope leads nowhere."""
    resolver[STUDIO] = entries
    assert parse_machine(f"me@{STUDIO}") == Machine(f"me@{STUDIO}", address)
    # With its scope, what connects to it finds the interface.
    assert ("%" in address) == (socket.getaddrinfo(address, 9)[0][4][-1] == INTERFACE)


@pytest.mark.usefixtures("resolver")
@pytest.mark.parametrize("address", ["192.0.2.7", "2001:db8::7", SCOPED])
def test_an_address_is_itself(address: str) -> None:
    assert parse_machine(address).address == address


def test_this_machines_address_is_that_towards_the_other(
    resolver: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _socket, address: reached.append(address))
    resolver[STUDIO] = [LINK_LOCAL]
    parse_machines(STUDIO)
    assert reached == [("fe80::10:20ff:fe30:4050", 9, 0, INTERFACE)]


def test_a_machine_that_cannot_be_reached_is_the_one_that_is_named(
    resolver: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_socket: socket.socket, _address: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    resolver[STUDIO] = [PLAIN]
    with pytest.raises(ClusterError) as refused:
        parse_machines(STUDIO)
    assert (refused.value.reason, refused.value.host) == ("no-address", STUDIO)


def test_a_name_of_sshs_configuration_alone_is_resolved_as_ssh_does(
    resolver: dict[str, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ssh(tmp_path, f'[ "$*" = "-G studio" ] && printf "user me\\nhostname {STUDIO}\\nport 22\\n"', monkeypatch)
    resolver[STUDIO] = [PLAIN]
    assert parse_machine("studio").address == "192.0.2.7"


@pytest.mark.usefixtures("resolver")
@pytest.mark.parametrize("script", ["exit 255", 'printf "hostname $2\\n"', 'printf "hostname nobody.local\\n"'])
def test_a_name_that_nobody_knows_has_no_address(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_ssh(tmp_path, script, monkeypatch)
    with pytest.raises(ClusterError) as refused:
        parse_machine("studio")
    assert (refused.value.reason, refused.value.host) == ("no-address", "studio")


@pytest.mark.usefixtures("resolver")
def test_what_is_no_name_in_the_network_has_no_address() -> None:
    with pytest.raises(ClusterError, match="no-address"):
        parse_machine("studio..local")


def test_a_machine_listens_at_one_address() -> None:
    with listen_at("127.0.0.1") as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("address", ["fe80::7", "fe80::7%en0"])
def test_a_machine_listens_on_its_own_interface_whatever_the_other_machine_calls_it(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_interface = 3

    def create_server(address: Any, *, family: int, backlog: int) -> Any:
        assert (family, backlog > 0) == (socket.AF_INET6, True)
        if address != ("fe80::7", 0, 0, own_interface):
            raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
        return "listening"

    monkeypatch.setattr(socket, "create_server", create_server)
    monkeypatch.setattr(socket, "if_nameindex", lambda: [(1, "lo0"), (own_interface, "en1"), (9, "en9")])
    assert listen_at(address) == "listening"  # type: ignore[comparison-overlap]
    monkeypatch.setattr(socket, "if_nameindex", lambda: [(1, "lo0")])
    with pytest.raises(OSError, match="Cannot assign"):
        listen_at(address)
