"""A drafter on another computer is reached by its address and a secret, and serves one engine after another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import mlx.core as mx
import pytest

from engine.async_drafting.link import DEFAULT_PORT, DrafterLink, address_of, on_another_computer
from engine.async_drafting.serving import DrafterServer, vocabulary_digest
from engine.main_model.loading import load
from tests.engine.async_drafting.drafters import answered
from tests.patience import PATIENCE_S, wait_until


@pytest.fixture
def port(tiny_draft: Path) -> Iterator[int]:
    """The port of a server for two engines."""
    listening = threading.Event()
    servers: list[DrafterServer] = []

    def serve() -> None:
        servers.append(DrafterServer(load(tiny_draft), "127.0.0.1", 0, b"the secret"))
        listening.set()
        try:
            for _ in range(2):
                servers[0].serve_one()
        finally:
            servers[0].close()
            mx.clear_streams()

    thread = threading.Thread(target=serve)
    thread.start()
    assert listening.wait(PATIENCE_S)
    yield servers[0].port
    thread.join()


def reached(port: int, secret: bytes, draft: Path) -> DrafterLink:
    connect = partial(on_another_computer, "127.0.0.1", port, secret)
    link = DrafterLink(connect, lambda: vocabulary_digest(load(draft)))
    wait_until(lambda: link.state != "starting")
    return link


def test_engines_that_know_the_secret_are_served_one_after_the_other(port: int, tiny_draft: Path) -> None:
    first = reached(port, b"the secret", tiny_draft)
    answer = answered(first)
    assert (answer.position, answer.tokens) == (3, ())
    first.close()
    stranger = reached(port, b"another secret", tiny_draft)
    assert (stranger.state, stranger.reason) == ("gone", "unreachable")
    second = reached(port, b"the secret", tiny_draft)
    assert answered(second) == answer
    second.close()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("mac.local:9000", ("mac.local", 9000)),
        (" 192.168.1.5 ", ("192.168.1.5", DEFAULT_PORT)),
        ("[fe80::1]:9000", ("fe80::1", 9000)),
        ("fe80::1", ("fe80::1", DEFAULT_PORT)),
        ("", None),
        (":9000", None),
        ("mac.local:port", None),
        ("mac.local:70000", None),
    ],
)
def test_addresses(text: str, address: tuple[str, int] | None) -> None:
    assert address_of(text) == address
