"""Promise 1 with an asynchronous drafter, even if its answers are wrong or lost: the text is plain decoding's."""

from __future__ import annotations

from collections.abc import Sequence

import psutil
import pytest

from engine.ahead import drafting_ahead as aheads
from engine.ahead import link as links
from engine.events import Finished
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.ahead.runners import DISTURBANCES, FIXED, on_a_thread, slow_verification, started
from tests.engine.serving_requests import PLAIN, request, run, submit
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S

TEXTS = ("the quick brown fox", "안녕하세요 세계", "こんにちは世界", "你好，世界")
AUTO = SpeculationSettings(method="draft")


def answer(scheduler: Scheduler, speculation: SpeculationSettings, temperature: float, text: str) -> Finished:
    scheduler.clear_prefix_cache()
    [client] = run(scheduler, request(text, temperature=temperature, speculation=speculation, max_tokens=16))
    return client.finished


# Messages that are wrong in other ways have no other effect.
QUICK = ("dying",)


@pytest.mark.parametrize("disturbance", by_tier(DISTURBANCES, QUICK))
def test_the_text_is_plain_decodings(scheduler: Scheduler, disturbance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are greedy or have a seed, at a fixed depth or at the controller's, in turn."""
    check(scheduler, disturbance, TEXTS, monkeypatch)


@pytest.mark.campaign
@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_forty_texts_are_plain_decodings(
    scheduler: Scheduler, disturbance: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{text} {number} {text}" for number in range(10) for text in TEXTS]
    # Each of them greedily and with a seed.
    check(scheduler, disturbance, [*texts, *texts[1:], texts[0]], monkeypatch)


@pytest.mark.campaign
def test_a_process_that_is_killed_in_the_middle_of_rounds(scheduler: Scheduler) -> None:
    plain = [answer(scheduler, PLAIN, 0.8, text) for text in TEXTS]
    states = set()
    # Replaced once, then given up.
    for text, expected in zip(TEXTS, plain, strict=True):
        started(scheduler)
        scheduler.clear_prefix_cache()
        client = submit(scheduler, request(text, temperature=0.8, speculation=FIXED, max_tokens=16))
        steps = 0
        while scheduler.busy:
            scheduler.step()
            steps += 1
            for process in psutil.Process().children() if steps == 9 else ():
                process.kill()
        assert client.finished.ids == expected.ids
        states.add(client.finished.stats.ahead)
    assert "ended" in states


def check(scheduler: Scheduler, disturbance: str, texts: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "in_a_process", lambda folder: on_a_thread(folder, DISTURBANCES[disturbance]))
    if disturbance == "untouched":
        # So no answer is late, however busy the machine is.
        monkeypatch.setattr(aheads, "HANDOVER_S", PATIENCE_S)
        slow_verification(monkeypatch)
    hits = 0
    for number, text in enumerate(texts):
        temperature = 0.8 * (number % 2)
        plain = answer(scheduler, PLAIN, temperature, text)
        speculation = (FIXED, AUTO)[number // 2 % 2]
        ahead = answer(scheduler, speculation, temperature, text)
        # The test does not depend on how soon the drafter has its model.
        while ahead.stats.ahead == "starting":
            ahead = answer(scheduler, speculation, temperature, text)
        assert ahead.ids == plain.ids
        hits += ahead.stats.ahead_hits
    if disturbance == "untouched":
        assert hits > 0
