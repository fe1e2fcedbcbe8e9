"""One answer that called a tool takes several requests; its figures are those of all, as in the history's totals."""

from __future__ import annotations

import pytest

from app.session.answer import Answer, State
from app.wording import figures
from app.wording.speculation import outcome
from engine.stats import PlainSpan, RequestStats, summed

FAST = RequestStats(
    prompt_tokens=40, generated_tokens=17, rounds=6, drafted=12, accepted=11, accept_rate=11 / 12, ttft_s=0.2,
    tokens_per_round=17 / 6, decode_tps=160.0, speedup_low=1.7, speedup_high=2.6, sources=("draft",),
    accept_by_position=((6, 6), (6, 5)), verify_s=0.1,
)  # fmt: skip
SLOW = RequestStats(
    prompt_tokens=30, generated_tokens=47, rounds=47, drafted=46, accepted=0, accept_rate=0.0, ttft_s=0.1,
    tokens_per_round=1.0, decode_tps=23.0, speedup_low=0.1, speedup_high=0.2, sources=("ngram",),
    accept_by_position=((46, 0),), plain_spans=(PlainSpan(1, "first-token"),), verify_s=2.0,
)  # fmt: skip


def test_no_request_of_an_answer_is_forgotten() -> None:
    whole = summed([SLOW, FAST])
    assert (whole.generated_tokens, whole.rounds, whole.drafted, whole.accepted) == (64, 53, 58, 11)
    assert (whole.accept_rate, whole.tokens_per_round) == (11 / 58, 64 / 53)
    assert whole.accept_by_position == ((52, 6), (6, 5))
    assert whole.decode_tps == pytest.approx(62 / (46 / 23.0 + 16 / 160.0))
    assert (whole.ttft_s, whole.prompt_tokens, whole.verify_s) == (0.1, 40, 2.1)
    assert whole.sources == ("ngram", "draft")
    assert len(whole.plain_spans) == 1
    assert whole.speedup_high == pytest.approx((2.0 * 0.2 + 0.1 * 2.6) / 2.1)


def test_panel_and_foot_say_the_same_of_both_requests() -> None:
    answer = Answer(State.DONE, stats=FAST, earlier=(SLOW,), pair_speedup=1.7)
    # All of its requests together gained less.
    assert figures.gain(Answer(State.DONE, stats=FAST, pair_speedup=1.7)) == "1.7× as fast"
    assert figures.gain(answer) == ""
    assert outcome(answer) == "11 of 58 drafts accepted"
    assert ("11 of 58 drafts accepted", "") in figures.footer(answer)
    assert Answer(stats=FAST).figures is FAST


def test_nothing_drafted_in_the_last_request_forgets_no_draft_token() -> None:
    plain = RequestStats(generated_tokens=5, rounds=5, plain_spans=(PlainSpan(5, "no-match"),))
    assert Answer(stats=plain, earlier=(FAST,)).plain_reason() is None
    assert Answer(stats=plain, earlier=(plain,)).plain_reason() == PlainSpan(5, "no-match")
