"""Counts of the work that several answers at once give the device, which do not depend on the machine."""

from __future__ import annotations

import pytest
from mlx_lm.generate import batch_generate

from engine.main_model.loaded_model import LoadedModel
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.texts import AnswerState
from engine.speculation.drafters.draft_rows import DraftRows
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.endurance.counting import each_token, least_peaks
from tests.engine.serving_requests import PLAIN, Client, alone, request, run, submit
from tests.engine.tiers import by_tier

TEXTS = ("Count from 1 to 20.", "Tell me what you can do, in a few sentences.")
LONG, SHORT = 12, 6


@pytest.fixture
def main(starter: tuple[LoadedModel, LoadedModel]) -> LoadedModel:
    return starter[0]


@pytest.fixture(autouse=True)
def _served(scheduler: Scheduler, starter: tuple[LoadedModel, LoadedModel]) -> None:
    scheduler.changes.install(*starter)


def ours(scheduler: Scheduler, speculation: SpeculationSettings, tokens: int) -> None:
    scheduler.clear_prefix_cache()
    clients = run(scheduler, *(request(text, max_tokens=tokens, speculation=speculation) for text in TEXTS))
    assert all(len(client.finished.ids) == tokens for client in clients)


def theirs(main: LoadedModel, tokens: int) -> None:
    prompts = [main.prompt_ids([{"role": "user", "content": text}]) for text in TEXTS]
    batch_generate(main.model, main.tokenizer, prompts, max_tokens=tokens)


@pytest.mark.full
def test_a_plain_step_of_several_answers_costs_the_device_what_it_costs_in_mlx_lm(
    monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler, main: LoadedModel
) -> None:
    nodes, _, waits = each_token(monkeypatch, lambda tokens: ours(scheduler, PLAIN, tokens), SHORT, LONG)
    their_nodes, _, their_waits = each_token(monkeypatch, lambda tokens: theirs(main, tokens), SHORT, LONG)
    assert nodes <= 1.03 * their_nodes
    assert waits <= their_waits == 1


@pytest.mark.full
@pytest.mark.parametrize("count", by_tier([2, 8], [2]))
def test_answers_of_a_batch_take_no_more_memory_than_in_mlx_lm(
    scheduler: Scheduler, main: LoadedModel, count: int
) -> None:
    """The peak covers prefill, joining, every step, and leaving one by one."""
    texts = [f"{TEXTS[index % 2]} {index}" for index in range(count)]
    limits = [SHORT + index for index in range(count)]

    def mine() -> None:
        clients = run(
            scheduler,
            *(request(text, max_tokens=most, speculation=PLAIN) for text, most in zip(texts, limits, strict=True)),
        )
        assert all(client.reasons == ["off"] for client in clients)

    def theirs() -> None:
        prompts = [main.prompt_ids([{"role": "user", "content": text}]) for text in texts]
        batch_generate(main.model, main.tokenizer, prompts, max_tokens=limits)

    peak, their_peak = least_peaks(scheduler, mine, theirs)
    # The prefix cache is kept for later turns.
    assert peak - scheduler.prefix_cache.bytes <= 1.03 * their_peak


@pytest.mark.full
def test_a_round_of_several_answers_waits_once(monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler) -> None:
    fixed = SpeculationSettings(method="ngram", depth=2, sample_share=0.0)
    _, _, waits = each_token(monkeypatch, lambda tokens: ours(scheduler, fixed, tokens), SHORT, LONG)
    # Accepted draft tokens reduce the waits for each token below one.
    assert waits <= 1


@pytest.mark.full
def test_the_first_token_of_each_answer_waits_for_no_draft_model(scheduler: Scheduler) -> None:
    """Texts are hard to draft at their beginning, and a round for a whole batch is long."""
    fixed = SpeculationSettings(method="draft", depth=3, sample_share=0.0)
    clients = run(scheduler, *(request(text, max_tokens=SHORT, speculation=fixed) for text in TEXTS))
    assert [client.reasons[0] for client in clients] == ["first-token"] * len(TEXTS)


@pytest.mark.full
def test_an_answer_that_others_leave_goes_on_with_what_is_known_of_its_text(
    monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler
) -> None:
    begun: list[AnswerState] = []
    continued: list[AnswerState | None] = []
    begin = Controller.begin

    def recorded(controller: Controller, *, constrained: bool, earlier: AnswerState | None) -> AnswerState:
        continued.append(earlier)
        begun.append(begin(controller, constrained=constrained, earlier=earlier))
        return begun[-1]

    monkeypatch.setattr(Controller, "begin", recorded)
    run(scheduler, request(TEXTS[0], max_tokens=SHORT), request(TEXTS[1], max_tokens=40))
    assert continued[:2] == [None, None]
    assert continued[-1] is begun[1]


@pytest.mark.full
def test_a_draft_model_drafts_for_all_in_one_pass_a_step(monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler) -> None:
    passes = {DraftRows: 0, CachedSequence: 0}

    def count(kind: type) -> None:
        draft = kind.draft  # type: ignore[attr-defined]

        def counted(*arguments: object) -> object:
            passes[kind] += 1
            return draft(*arguments)

        monkeypatch.setattr(kind, "draft", counted)

    clients = [submit(scheduler, request(text, max_tokens=60)) for text in TEXTS]
    while not all(len(client.committed) > 1 for client in clients):
        scheduler.step()
    count(DraftRows)
    count(CachedSequence)
    for _ in range(4):
        scheduler.step()
    # Each round drafts three tokens and feeds all but the last.
    assert passes == {DraftRows: 4 * 2, CachedSequence: 0}


@pytest.mark.full
@pytest.mark.expects_log
def test_drafting_that_fails_for_all_ends_no_answer(monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler) -> None:
    asked = [request(text, max_tokens=20) for text in TEXTS]
    expected = [alone(scheduler, one).ids for one in asked]
    clients = [submit(scheduler, one) for one in asked]
    while not all(len(client.committed) > 1 for client in clients):
        scheduler.step()

    def failing(*_arguments: object) -> None:
        raise RuntimeError("[metal::malloc] out of memory, says the test")

    with monkeypatch.context() as patched:
        patched.setattr(DraftRows, "draft", failing)
        scheduler.step()
    while scheduler.busy:
        scheduler.step()
    assert [client.finished.ids for client in clients] == expected
    assert all("draft-failed" in client.reasons for client in clients)
    assert [client.finished.ids for client in run(scheduler, *asked)] == expected


@pytest.mark.parametrize(
    "speculation",
    [
        pytest.param(PLAIN, id="plain", marks=pytest.mark.full),
        pytest.param(SpeculationSettings(method="draft", depth=3), id="draft"),
    ],
)
def test_answers_of_a_batch_have_the_log_probabilities_that_they_have_alone(
    scheduler: Scheduler, speculation: SpeculationSettings
) -> None:
    # One with alternatives is drawn apart from the others.
    for alternatives in (0, 2):
        asked = [
            request(text, max_tokens=SHORT, speculation=speculation, alternatives=count)
            for text, count in zip(TEXTS, (0, alternatives), strict=True)
        ]
        at_once = [logprobs(client) for client in run(scheduler, *asked)]
        for one, together in zip(asked, at_once, strict=True):
            scheduler.clear_prefix_cache()
            assert together == pytest.approx(logprobs(run(scheduler, one)[0]), abs=1e-3)


def logprobs(client: Client) -> list[float]:
    return [token.logprob for event in client.committed for token in event.tokens]
