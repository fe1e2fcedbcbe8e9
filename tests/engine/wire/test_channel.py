"""Channels: they pass only messages and never wait in vain."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from engine.requests import SamplingSettings
from engine.wire.channel import Channel
from engine.wire.messages import BadMessage, ChannelClosed, MessageTooLarge
from tests.engine.wire.protocol import ANSWERED, ASKED, LARGEST_MESSAGE, MOST_UNSENT, Begin, End, Reply, Text
from tests.patience import PATIENCE_S

LARGE = Text(0, tuple(range(500_000)))
BEGIN = Begin(2, SamplingSettings(temperature=0.5))


class ChannelEnds:
    """Two ends of a connection; `raw` is the second one's socket."""

    def __init__(self, most_unsent: int | None) -> None:
        ours, self.raw = socket.socketpair()
        self.here: Channel[Any] = Channel(ours, ASKED, most_unsent=most_unsent)
        self.there: Channel[Any] = Channel(self.raw, ASKED, most_unsent=most_unsent)


@pytest.fixture(params=[MOST_UNSENT, None], ids=["never waits", "waits"])
def pair(request: pytest.FixtureRequest) -> Iterator[ChannelEnds]:
    pair = ChannelEnds(request.param)
    yield pair
    pair.here.close()
    pair.there.close()


@pytest.mark.first
def test_a_message_arrives_in_any_pieces(pair: ChannelEnds) -> None:
    whole = ASKED.frame(BEGIN) + ASKED.frame(End(1))
    for index in range(len(whole) - 1):
        pair.raw.send(whole[index : index + 1])
        pair.here.receive(0.0)
    pair.raw.send(whole[-1:])
    assert pair.here.receive(PATIENCE_S) == End(1)


@pytest.mark.parametrize("pair", [MOST_UNSENT], indirect=True)
def test_a_message_larger_than_the_socket_takes_goes_out_while_others_are_read(pair: ChannelEnds) -> None:
    pair.here.send(LARGE)
    received = None
    while received is None:
        received = pair.there.receive(0.0)
        assert pair.here.receive(0.0) is None
    assert received == LARGE


@pytest.mark.parametrize("pair", [None], indirect=True)
def test_messages_of_several_threads_wait_for_a_peer_that_reads_slowly(pair: ChannelEnds) -> None:
    threads = [threading.Thread(target=pair.here.send, args=(LARGE,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert [pair.there.receive(PATIENCE_S) for _ in threads] == [LARGE] * 3
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("pair", [2**20], indirect=True)
def test_a_peer_that_never_reads_ends_the_connection_and_blocks_nobody(pair: ChannelEnds) -> None:
    with pytest.raises(ChannelClosed):
        pair.here.send(LARGE)


def test_a_peer_that_is_gone_is_noticed(pair: ChannelEnds) -> None:
    pair.there.close()
    with pytest.raises(ChannelClosed):
        pair.here.receive()
    with pytest.raises(ChannelClosed):
        pair.here.send(LARGE)


def test_who_receives_is_woken_when_another_thread_closes(pair: ChannelEnds) -> None:
    closing = threading.Timer(0.05, pair.here.close)
    closing.start()
    with pytest.raises(ChannelClosed):
        pair.here.receive()
    closing.join()


def test_a_message_that_claims_to_be_huge_is_not_waited_for(pair: ChannelEnds) -> None:
    pair.raw.sendall((LARGEST_MESSAGE + 1).to_bytes(4, "big"))
    with pytest.raises(MessageTooLarge):
        pair.here.receive(PATIENCE_S)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xc0", b"\x91\xa3End", b"\x92\xa3End\xa1x", b"\x92\xa2os\x01", b"\x91" * 5000, b"\xdd\xff\xff\xff\xff"],
)
def test_what_is_no_message_of_the_protocol_is_refused(pair: ChannelEnds, content: bytes) -> None:
    pair.raw.sendall(len(content).to_bytes(4, "big") + content)
    with pytest.raises(BadMessage):
        pair.here.receive(PATIENCE_S)


def test_a_codec_refuses_numbers_and_lengths_outside_their_bounds() -> None:
    for answer in (Reply(-1), Reply(1, (-1,)), Reply(1, tuple(range(99)))):
        with pytest.raises(BadMessage):
            ANSWERED.take(bytearray(ANSWERED.frame(answer)))
