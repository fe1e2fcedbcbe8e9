"""What a second Mac is worth for drafting, by published costs."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from tests.engine.speculation.two_macs import (
    ACCEPTANCES,
    DRAFTS,
    MESSAGES_MS,
    READ_AGAIN,
    READ_ONCE,
    Protocol,
    ahead,
    draft_model,
    gain,
    longest_message_ms,
    synchronous,
)

# Published costs decide, and nothing of the engine.
pytestmark = pytest.mark.full

THUNDERBOLT_MS, WIRELESS_MS = 0.3, 20.0
KERNELS = (READ_AGAIN, READ_ONCE)


@pytest.mark.parametrize("protocol", Protocol)
@pytest.mark.parametrize("draft", DRAFTS)
def test_a_slower_link_never_helps(draft: str, protocol: Protocol) -> None:
    for acceptance in ACCEPTANCES[1:]:
        gains = [gain(draft_model(draft), acceptance, message, protocol) for message in (0.0, *MESSAGES_MS, 60.0)]
        assert all(slower <= faster for faster, slower in pairwise(gains)), gains


def test_over_thunderbolt_it_gains_a_tenth_at_most_unless_the_second_mac_reads_weights_once() -> None:
    gains = {
        row: [gain(draft_model(name, row), acceptance, THUNDERBOLT_MS) for name, acceptance in pairs]
        for row, pairs in ((row, list(product(DRAFTS, ACCEPTANCES))) for row in KERNELS)
    }
    assert 1.04 < max(gains[READ_AGAIN]) < 1.10
    assert 1.12 < max(gains[READ_ONCE]) < 1.20


def test_a_large_draft_with_deep_rounds_does_not_pay() -> None:
    """An M2 makes four tokens of a 4B while the M4 Pro verifies, which here drafts seven of them itself."""
    assert gain(draft_model("4B"), 0.9, THUNDERBOLT_MS) <= 1.0
    assert longest_message_ms(draft_model("4B"), 0.9) == 0.0


@pytest.mark.parametrize("draft", DRAFTS)
def test_drafts_that_are_asked_for_do_not_pay_over_a_busy_wireless_network(draft: str) -> None:
    """Not even if the second Mac drafts for nothing: the answer takes longer than drafting here."""
    assert all(gain(draft_model(draft, READ_ONCE), acceptance, WIRELESS_MS) < 1.0 for acceptance in ACCEPTANCES)


def test_drafts_that_are_sent_ahead_never_lose_and_pay_over_slower_links() -> None:
    for draft, row in product(("0.6B", "1.7B"), KERNELS):
        model = draft_model(draft, row)
        asked, sent = (longest_message_ms(model, 0.75, protocol) for protocol in Protocol)
        assert sent > 3.0 * asked > 0.0
    for draft, message in product(DRAFTS, MESSAGES_MS):
        assert gain(draft_model(draft), 0.75, message, Protocol.SEND) >= gain(draft_model(draft), 0.75, message)


def test_nothing_waits_longer_than_drafting_here_takes() -> None:
    """At worst a round of one draft token waits as long as drafting it takes, and then drafts it here."""
    model = draft_model("0.6B")
    with_m2 = ahead(model, 0.6, WIRELESS_MS)
    assert with_m2.hits == 0.0
    assert with_m2.tokens_s > 0.8 * synchronous(model, 0.6).tokens_s
