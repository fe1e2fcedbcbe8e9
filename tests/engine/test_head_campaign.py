"""Campaign: 50 questions in each of four languages with a head and without, greedy and sampled, alone and in company.

With a trained head of each kind for the starter's main model: DFlash, EAGLE-3 and MTP.

Answers may part where two tokens are nearly tied. How many did, and how near the tokens were, is printed:
`pytest -m campaign -s tests/engine/test_head_campaign.py`, or a part of it with `-k "ko and mtp and 0.8"`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from engine import starter_pair
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from resources.starter.recipe.content import read_development
from tests.engine.near_ties import TIE, Parting, parting
from tests.engine.serving_requests import PLAIN, load_models, request, run

pytestmark = pytest.mark.campaign

QUESTIONS = {lang: [one.turns[0] for one in read_development(lang)[:50]] for lang in ("en", "ko", "ja", "zh")}

MAIN = starter_pair()[0]
TRAINED = Path(__file__).parents[1] / "starter" / "heads"
HEADS = {"dflash": MAIN.parent / "head", "eagle3": TRAINED / "eagle3", "mtp": TRAINED / "mtp"}
each_language = pytest.mark.parametrize("language", QUESTIONS)
each_head = pytest.mark.parametrize("campaign", HEADS, indirect=True)
# The plain answers, which all heads share.
PLAIN_ANSWERS: dict[tuple[str, float], list[int]] = {}


@dataclass
class Campaign:
    """The starter's main model with a head, and the plain answers so far."""

    scheduler: Scheduler
    plain: dict[tuple[str, float], list[int]]

    def alone(self, asked: ChatRequest) -> list[int]:
        self.scheduler.clear_prefix_cache()
        [client] = run(self.scheduler, asked)
        return client.finished.ids

    def plain_answer(self, asked: ChatRequest) -> list[int]:
        key = (str(asked.messages[0]["content"]), asked.sampling.temperature)
        if key not in self.plain:
            self.plain[key] = self.alone(replace(asked, speculation=PLAIN))
        return self.plain[key]

    def parting(self, asked: ChatRequest, ids: list[int]) -> Parting | None:
        """Where the answer parts from the plain one; that has to be a tie."""
        plain = self.plain_answer(asked)
        found = parting(self.scheduler.models.main, asked, plain, ids)
        assert found is None or found.gap < TIE, (asked.messages, found)
        return found


@pytest.fixture(scope="module")
def campaign(request: pytest.FixtureRequest) -> Iterator[Campaign]:
    scheduler = Scheduler()
    assert load_models(scheduler, MAIN, HEADS[request.param]).draft_problem is None
    scheduler.calibrate()
    yield Campaign(scheduler, PLAIN_ANSWERS)
    scheduler.close()


def asked(text: str, temperature: float, speculation: SpeculationSettings) -> ChatRequest:
    return request(text, max_tokens=48, temperature=temperature, seed=len(text), speculation=speculation)


def report(what: str, partings: list[Parting | None]) -> None:
    gaps = sorted(found.gap for found in partings if found is not None)
    print(f"\n{what}: {len(partings) - len(gaps)} of {len(partings)} equal, gaps {[f'{gap:.1e}' for gap in gaps]}")


@each_head
@each_language
@pytest.mark.parametrize("depth", [None, 5, 15])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_the_text_is_the_same_with_a_head_as_without(
    campaign: Campaign, temperature: float, depth: int | None, language: str
) -> None:
    head = SpeculationSettings(method="draft", depth=depth)
    partings = []
    for text in QUESTIONS[language]:
        one = asked(text, temperature, head)
        partings.append(campaign.parting(one, campaign.alone(one)))
    report(f"{language}, temperature {temperature}, depth {depth or 'auto'}", partings)


@each_head
@each_language
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_reopened_and_in_company_as_alone(campaign: Campaign, temperature: float, language: str) -> None:
    head = SpeculationSettings(method="draft", depth=7)
    partings = []
    for text, other in zip(QUESTIONS[language][::5], reversed(QUESTIONS[language][1::5]), strict=True):
        first, second = asked(text, temperature, head), asked(other, temperature, head)
        campaign.plain_answer(first), campaign.plain_answer(second)
        campaign.scheduler.clear_prefix_cache()
        together = run(campaign.scheduler, first, second)
        reopened = run(campaign.scheduler, first)
        found = [client.finished.ids for client in (*together, *reopened)]
        partings += [campaign.parting(one, ids) for one, ids in zip((first, second, first), found, strict=True)]
    report(f"{language}, temperature {temperature}, two at a time and reopened", partings)
