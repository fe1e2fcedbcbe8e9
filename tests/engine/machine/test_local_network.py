"""A refusal of macOS is told from a computer without a network, and from a host that is off."""

from __future__ import annotations

import errno
import socket
import sys
from typing import Any

import pytest

from engine.machine.local_network import is_denied, local_network


class Sockets:
    """Sockets that fail with an error number where it is not 0."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *, route: int = 0, send: int = 0, system: str = "darwin"
    ) -> None:
        self._route, self._send = route, send
        self.sent: list[tuple[bytes, tuple[str, int]]] = []
        monkeypatch.setattr(socket, "socket", lambda *_: self)
        monkeypatch.setattr(sys, "platform", system)

    def __enter__(self) -> Sockets:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def connect(self, _address: Any) -> None:
        if self._route:
            raise OSError(self._route, "")

    def getsockname(self) -> tuple[str, int]:
        return "10.0.0.7", 50000

    def setsockopt(self, *_: Any) -> None:
        pass

    def sendto(self, content: bytes, address: tuple[str, int]) -> None:
        if self._send:
            raise OSError(self._send, "")
        self.sent.append((content, address))


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        ({}, "allowed"),
        ({"send": errno.EHOSTUNREACH}, "denied"),
        ({"send": errno.EHOSTUNREACH, "system": "linux"}, "none"),
        ({"route": errno.ENETUNREACH}, "none"),
    ],
)
def test_what_the_local_network_says(monkeypatch: pytest.MonkeyPatch, failures: dict[str, Any], expected: str) -> None:
    sockets = Sockets(monkeypatch, **failures)
    assert local_network() == expected
    # Nothing but empty datagrams leaves this computer, to the local network only.
    assert all(content == b"" and address[0].startswith("224.0.0.") for content, address in sockets.sent)


def test_a_host_that_is_off_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    unreached = OSError(errno.EHOSTUNREACH, "No route to host")
    said = "ssh: connect to host studio.local port 22: No route to host"
    with monkeypatch.context() as allowed:
        Sockets(allowed)
        assert not is_denied(unreached)
        assert not is_denied(said)
    Sockets(monkeypatch, send=errno.EHOSTUNREACH)
    assert is_denied(unreached)
    assert is_denied(said)
    assert not is_denied("Permission denied (publickey)")
    assert not is_denied(OSError(errno.ECONNREFUSED, "Connection refused"))
