"""Forced patterns through the decoder: in each row, proposals of every length with every number of right tokens.

Over every kind of cache, every text is the plain one.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine.methods import PROPOSERS, ProposerEntry
from engine.requests import SpeculationSettings
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.lossless.family_serving import CAMPAIGN, serving
from tests.engine.serving_requests import PLAIN, alone, request, run
from tests.engine.tiers import by_tier

DEPTH = 4
PATTERNS = [(k, right) for k in range(DEPTH + 1) for right in range(k + 1)]
QUESTIONS = ("the quick brown fox", "jumps over", "안녕하세요 세계", "lazy dog the the the")
TOKENS = 48
# The known answers. The test fills them, and the proposers read them.
ANSWERS: list[tuple[int, ...]] = []


class ScriptedProposer(Proposer):
    """Proposes the known text with errors from where the pattern of its round says so."""

    source = "scripted"

    def __init__(self, main: CachedSequence) -> None:
        self._main = main
        self._prompt = len(main.tokens)
        self._draw = random.Random(self._prompt)
        self._patterns = self._draw.sample(PATTERNS, len(PATTERNS))

    def max_proposals(self) -> int:
        return DEPTH

    def propose(self, depth: int) -> Proposal:
        written = self._main.tokens[self._prompt :]
        answer = next((one for one in ANSWERS if list(one[: len(written)]) == written), ())
        count, right = self._patterns[0]
        self._patterns = [*self._patterns[1:], self._patterns[0]]
        known = list(answer[len(written) : len(written) + min(count, depth)])
        # Another id of the vocabulary: the row behind its last one is foreign memory.
        tokens = [token if index < right else token - 1 if token else 1 for index, token in enumerate(known)]
        return Proposal(tokens, self.source, len(tokens))


def build(context: ProposerContext) -> ScriptedProposer:
    return ScriptedProposer(context.conversation.main)


def check(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, kv_bits: int | None = None) -> None:
    monkeypatch.setitem(PROPOSERS, "scripted", ProposerEntry(__name__))
    scripted = SpeculationSettings(method="scripted", depth=DEPTH, sample_share=0.0)
    with serving(name, folder, kv_bits) as (scheduler, _):
        expected = [alone(scheduler, request(one, max_tokens=TOKENS, speculation=PLAIN)) for one in QUESTIONS]
        monkeypatch.setitem(globals(), "ANSWERS", [one.ids for one in expected])
        clients = run(scheduler, *(request(one, max_tokens=TOKENS, speculation=scripted) for one in QUESTIONS))
        assert [client.finished.ids for client in clients] == [one.ids for one in expected], name
        if any("turns" in client.reasons for client in clients):
            return
        for client, whole in zip(clients, expected, strict=True):
            rounds = {(event.round.drafted, event.round.accepted) for event in client.committed}
            # A text that ends early does not see every pattern.
            assert len(whole.ids) < TOKENS or len(rounds & set(PATTERNS)) >= len(PATTERNS) // 2, (name, rounds)


@pytest.mark.parametrize("name", by_tier(["llama", "gemma3_text", "qwen3_next", "falcon_h1"], ("qwen3_next",)))
def test_rounds_that_accept_another_number_in_each_row_leave_every_text_as_it_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(name, tmp_path, monkeypatch)


@pytest.mark.campaign
# transformers warns of ids in some tiny configurations.
@pytest.mark.expects_log
@pytest.mark.parametrize("kv_bits", [None, 8])
@pytest.mark.parametrize("name", CAMPAIGN)
def test_rounds_over_every_kind_of_cache_leave_every_text_as_it_is(
    name: str, kv_bits: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kv_bits is not None and name not in ("llama", "qwen3", "mixtral", "granite"):
        pytest.skip("quantised caches are checked on four families")
    check(name, tmp_path, monkeypatch, kv_bits)
