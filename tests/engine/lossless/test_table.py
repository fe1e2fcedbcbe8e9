"""The text is that of plain decoding, whatever is asked and however it is decoded: every cell of the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from engine.ahead import drafting_ahead
from engine.ahead import link as links
from engine.events import TokensCommitted
from engine.requests import ChatRequest
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.drafters.reduced_vocabulary import ReducedVocabulary
from tests.engine.ahead.runners import DISTURBANCES, Disturbance, on_a_thread, started
from tests.engine.lossless.chain_sessions import Told
from tests.engine.lossless.drafters import DRAFTERS, MAINS, base_of, teach
from tests.engine.lossless.table import (
    ASKED,
    DIFFERS,
    PLAIN,
    REFUSED,
    SAMPLED,
    WAYS,
    Way,
    cells,
    differs,
    in_default_tier,
    main_of,
)
from tests.engine.serving_requests import Client, load_models, request, run
from tests.patience import PATIENCE_S

# Served beside a request that is asked "in a batch"; each has settings of its own.
COMPANY = (
    request("lazy dog jumps", max_tokens=24, speculation=PLAIN),
    request("안녕하세요 세계", max_tokens=30, seed=7, **SAMPLED),
    request("the the the", max_tokens=20, repetition_penalty=1.3, alternatives=2),
)


@dataclass(frozen=True)
class PlainAnswer:
    """The answer without speculation, alone, and the tokens of its whole text, the prompt's and its own."""

    client: Client
    tokens: list[int]


class Servers:
    """Schedulers that serve a main model with a drafter, opened when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mains: dict[str, Path] = {}
        self._drafters: dict[tuple[str, str], Path | None] = {}
        self._schedulers: dict[tuple[str, str, bool, str], Scheduler] = {}
        self._plain_answers: dict[tuple[str, str], PlainAnswer] = {}

    def _main(self, name: str) -> Path:
        if name not in self._mains:
            self._mains[name] = MAINS[name](self._folder / name)
        return self._mains[name]

    def _drafter(self, main: str, name: str) -> Path | None:
        if not name:
            return None
        if (main, name) not in self._drafters:
            folder = self._folder / f"{name} for {main}"
            self._drafters[main, name] = DRAFTERS[name](folder, base_of(main, self._main(main)))
        return self._drafters[main, name]

    def scheduler(self, main: str, drafter: str = "", *, indexed: bool = False, ahead: str = "") -> Scheduler:
        """Return a scheduler with these models; with `indexed` it keeps an index of answers of chats.

        With `ahead` it has a draft runner, whose replies are disturbed as that says.
        """
        key = (main, drafter, indexed, ahead)
        if key not in self._schedulers:
            index = self._folder / f"answers of {main} with {drafter}" if indexed else None
            taught = self._folder / f"what drafts of {main} were taught" if drafter == "taught" else None
            settings = EngineSettings(
                most_active=8,
                answer_index_folder=index,
                taught_folder=taught,
                draft_ahead="here" if ahead else "off",
            )
            scheduler = Scheduler(settings)
            self._schedulers[key] = scheduler
            folder = self._drafter(main, drafter)
            assert load_models(scheduler, self._main(main), folder).draft_problem is None
            if drafter == "taught" and folder is not None:
                teach(scheduler, folder)
            if ahead:
                start_runner(scheduler, DISTURBANCES[ahead])
        return self._schedulers[key]

    def plain(self, row: str, main: str) -> PlainAnswer:
        """Return the row's answer without speculation, alone, from a scheduler that has no drafter."""
        if (row, main) not in self._plain_answers:
            scheduler = self.scheduler(main)
            scheduler.clear_prefix_cache()
            [client] = run(scheduler, ASKED[row].request(PLAIN))
            prompt = scheduler.prefix_cache.latest.main.tokens[: client.finished.stats.prompt_tokens]
            self._plain_answers[row, main] = PlainAnswer(client, [*prompt, *client.finished.ids])
        return self._plain_answers[row, main]

    def close(self) -> None:
        for scheduler in self._schedulers.values():
            scheduler.close()


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    opened = Servers(tmp_path_factory.mktemp("lossless"))
    yield opened
    opened.close()


def start_runner(scheduler: Scheduler, disturb: Disturbance) -> None:
    """Start a draft runner on a thread, whose replies arrive disturbed, and wait until it has its model.

    It may refuse that: the passes of the draft model for pictures hold no branches.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "in_a_process", partial(on_a_thread, disturb=disturb))
        assert started(scheduler).ahead in ("ready", "no-branches")


def answer_in_an_earlier_chat(scheduler: Scheduler, asked: ChatRequest) -> None:
    """Answer the request in a chat; afterwards lookup and the reduced vocabulary know its answer."""
    run(scheduler, replace(asked, speculation=PLAIN, conversation="earlier"))
    answers = scheduler.models.drafting.answers
    assert answers is not None
    answers.forget([]).result()
    scheduler.changes.stores.renew_vocabulary()
    run(scheduler)
    if scheduler.models.drafter is not None:
        assert scheduler.models.drafting.reduced is not None


def serve(scheduler: Scheduler, way: Way, asked: ChatRequest) -> Client:
    """Serve the request the way that is asked for, from an empty prefix cache."""
    if way.earlier:
        answer_in_an_earlier_chat(scheduler, asked)
        asked = replace(asked, conversation="later")
    # `clear_prefix_cache` would forget the earlier chat, too.
    scheduler.prefix_cache.shrink(0)
    return run(scheduler, asked, *COMPANY[: way.company])[0]


def assert_figures_are_those_of(client: Client, plain: Client) -> None:
    """Assert that log-probabilities and alternatives are those of the plain answer."""
    tokens = [token for event in client.committed for token in event.tokens]
    for token, expected in zip(tokens, (token for event in plain.committed for token in event.tokens), strict=True):
        assert token.logprob == pytest.approx(expected.logprob, abs=2e-3)
        values = [other.logprob for other in token.alternatives]
        assert values == sorted(values, reverse=True)
        # Rounding may exchange two of the likeliest that are nearly equal, so that only values are compared in order.
        assert values == pytest.approx([other.logprob for other in expected.alternatives], abs=2e-3)
        others = {other.id: other.logprob for other in expected.alternatives}
        for other in token.alternatives:
            assert other.logprob == pytest.approx(others.get(other.id, other.logprob), abs=2e-3)


def assert_deltas_make_the_text(client: Client) -> None:
    events = [event for event in client.events if isinstance(event, TokensCommitted)]
    assert "".join(event.text for event in events) == client.finished.text
    assert [token.id for event in events for token in event.tokens] == list(client.finished.ids)


def was_offered(client: Client, source: str) -> bool:
    """Whether a round of the answer verified tokens that the proposer `source` drafted."""
    return any(event.round.source == source and event.round.drafted for event in client.committed)


def marks_of(row: str, way: str) -> list[pytest.MarkDecorator]:
    if (row, way) == ("sampled", "draft model"):
        return [pytest.mark.first]
    return [] if in_default_tier(row, way) else [pytest.mark.full]


@pytest.mark.parametrize(
    ("row", "way"),
    [pytest.param(row, way, marks=marks_of(row, way), id=f"{row} | {way}") for row, way in cells()],
)
def test_the_answer_is_that_of_plain_decoding(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, row: str, way: str
) -> None:
    asked, decoded = ASKED[row], WAYS[way]
    main = main_of(row, way)
    plain = servers.plain(row, main)
    # Heads with random weights are right by chance only: one of three of these proposals is wrong.
    told = Told(monkeypatch)
    told.answers = [token if place % 3 else 0 for place, token in enumerate(plain.tokens)]
    monkeypatch.setattr(ReducedVocabulary, "pays", lambda *_: True)
    scheduler = servers.scheduler(main, decoded.drafter, indexed=decoded.earlier, ahead=decoded.ahead)
    if decoded.ahead == "untouched":
        # No reply is late, however busy the machine is.
        monkeypatch.setattr(drafting_ahead, "HANDOVER_S", PATIENCE_S)

    client = serve(scheduler, decoded, asked.request(decoded.speculation))

    asked.holds(plain.client.finished)
    asked.holds(client.finished)
    assert_deltas_make_the_text(client)
    assert not decoded.source or was_offered(client, decoded.source)
    if not differs(row, way):
        expected = plain.client.finished
        assert client.finished.ids == expected.ids
        assert (client.finished.text, client.finished.reason) == (expected.text, expected.reason)
        assert_figures_are_those_of(client, plain.client)


def test_the_table_names_what_there_is() -> None:
    assert {main_of(row, way) for row, way in cells()} == set(MAINS)
    assert {way.drafter for way in WAYS.values()} == {"", *DRAFTERS}
    assert DIFFERS.keys() <= WAYS.keys()
    assert all(row in ASKED and way in WAYS for row, way in REFUSED)
