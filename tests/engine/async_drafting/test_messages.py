"""Frames: every message survives the way, and whatever else arrives is refused."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.async_drafting.messages import (
    HIT,
    LARGEST_FRAME,
    VERSION,
    Answer,
    BadMessage,
    Begin,
    Challenge,
    CounterProof,
    End,
    Message,
    Proof,
    Ready,
    Refused,
    Verdict,
    frame,
    take,
)
from engine.requests import SamplingSettings

KEY = bytes(range(32))
SAMPLING = SamplingSettings(0.5, 40, 0.75, 0.125, 1.5, 0.25, 0.5, 64, logit_bias={3: -1.5, 900: 4.0})
MESSAGES: list[Message] = [
    Challenge(KEY),
    Proof(KEY, KEY[::-1]),
    CounterProof(KEY),
    Ready(KEY, 1234),
    Refused("not-usable"),
    Begin(2**64 - 1, 2**63 + 5, 151_936, SAMPLING),
    Verdict(7, 3, 1000, (5, 6, 4_000_000_000), 8, True, 0.5),
    Answer(7, 3, 1003, HIT, (1, 2), (0.5, 0.25), 9, 0.125),
    Answer(7, 3, 1003, HIT),
    End(7),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_survives_the_way_in_any_pieces(message: Message) -> None:
    received = bytearray()
    for byte in frame(message)[:-1]:
        received.append(byte)
        assert take(received) is None
    received += frame(message)[-1:] + frame(End(1))
    assert take(received) == message
    assert take(received) == End(1)
    assert not received


@pytest.mark.parametrize(
    "begin",
    [
        struct.pack("<IBB", 8, VERSION + 1, End.kind),
        struct.pack("<IBB", 8, VERSION, 200),
        struct.pack("<IBB", LARGEST_FRAME + 1, VERSION, Verdict.kind),
    ],
)
def test_a_frame_of_another_version_kind_or_size_is_refused_before_it_is_read(begin: bytes) -> None:
    with pytest.raises(BadMessage):
        take(bytearray(begin))


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_payload_of_another_length_is_refused(message: Message) -> None:
    payload = message.payload()
    for wrong in (payload[:-1], payload + b"\0"):
        if isinstance(message, Refused):
            continue
        with pytest.raises(BadMessage):
            take(bytearray(struct.pack("<IBB", len(wrong), VERSION, message.kind) + wrong))


@given(st.integers(0, 2**32))
def test_garbage_is_a_message_or_refused(seed: int) -> None:
    draw = random.Random(seed)
    received = bytearray(frame(draw.choice(MESSAGES)))
    for _ in range(draw.randrange(1, 6)):
        received[draw.randrange(len(received))] = draw.randrange(256)
    try:
        message = take(received)
    except BadMessage:
        return
    # A changed length can also make it wait for more.
    assert message is None or take(bytearray(frame(message))) is not None


def test_numbers_that_a_sampler_cannot_take_are_refused() -> None:
    whole = frame(Begin(1, 2, 300, SamplingSettings(temperature=0.5)))
    broken = whole.replace(struct.pack("<d", 0.5), struct.pack("<d", float("nan")), 1)
    with pytest.raises(BadMessage):
        take(bytearray(broken))
