from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from engine.cluster.wire import LARGEST_MESSAGE, Connection, NotAuthentic, accept, connect

SECRET = b"a secret of a test"


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def accepted(listening: socket.socket, secret: bytes) -> tuple[list[object], threading.Thread]:
    """What accepting the next connection comes to, on a thread that has ended when there is one."""
    found: list[object] = []

    def wait() -> None:
        try:
            found.extend(accept(listening.accept()[0], secret))
        except NotAuthentic as error:
            found.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    return found, thread


def test_messages_cross_once_both_ends_have_proved_the_secret(listening: socket.socket) -> None:
    found, thread = accepted(listening, SECRET)
    client = connect(listening.getsockname(), SECRET, 3)
    thread.join()
    server, rank = found
    assert isinstance(server, Connection)
    assert rank == 3
    client.send({"text": "é" * 100_000})
    assert server.receive() == {"text": "é" * 100_000}
    client.close()
    with pytest.raises(ConnectionError):
        server.receive()
    server.close()


def test_who_does_not_know_the_secret_is_refused_on_both_sides(listening: socket.socket) -> None:
    found, thread = accepted(listening, SECRET)
    with pytest.raises(NotAuthentic):
        connect(listening.getsockname(), b"another", 1)
    thread.join()
    assert isinstance(found[0], NotAuthentic)


def test_a_message_that_claims_to_be_huge_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        raw = socket.create_connection(listening.getsockname())
        end = Connection(listening.accept()[0])
        raw.sendall((LARGEST_MESSAGE + 1).to_bytes(4, "big"))
        with pytest.raises(ValueError, match="bytes"):
            end.receive()
        end.close()
        raw.close()
