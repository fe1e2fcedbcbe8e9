"""Events as the JSON objects that `tandem chat --json` prints."""

from __future__ import annotations

import json

import pytest

from engine.errors import PromptTooLong
from engine.events import Event, Failed, Finished, PrefillProgress, Token, TokensCommitted, as_json
from engine.stats import RequestStats, RoundRecord

ROUND = RoundRecord(1, "draft", 2, 1, 2, 3, 0.5, 0.1, 0.2, 0.0)
TOKENS = (Token(7, "a", "draft", 0, 1, -0.5), Token(8, "b", "main", 1, 1, -0.1))


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (PrefillProgress(3, 5, 1), {"event": "prefill", "done": 3, "total": 5, "cached": 1}),
        (TokensCommitted("ab", TOKENS, ROUND, RequestStats()), {"event": "tokens", "text": "ab", "ids": [7, 8]}),
        (Finished("stop", "ab", (7, 8), RequestStats()), {"event": "finished", "reason": "stop", "ids": [7, 8]}),
        (
            Failed(PromptTooLong(5000, 4096), "ab", RequestStats(rounds=2)),
            {"event": "failed", "code": "prompt-too-long", "arguments": {"tokens": "5000", "limit": "4096"}},
        ),
        (Failed(PromptTooLong(5000, 4096), ""), {"event": "failed", "stats": None}),
    ],
)
def test_an_event_is_one_json_object(event: Event, expected: dict[str, object]) -> None:
    printed = json.loads(json.dumps(as_json(event)))
    assert expected.items() <= printed.items()


def test_a_finished_event_holds_the_figures_under_their_own_names() -> None:
    printed = as_json(Finished("stop", "", (), RequestStats(rounds=3, accept_rate=0.5)))
    assert printed["stats"]["rounds"] == 3
    assert printed["stats"]["accept_rate"] == 0.5
