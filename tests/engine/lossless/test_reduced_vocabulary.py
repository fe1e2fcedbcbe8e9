"""Drafting with the vocabulary of earlier answers: the same text, and only in chats that may know the others."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.main_model.loaded_model import LoadedModel
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.choosing.costs import Costs
from engine.speculation.drafters.reduced_vocabulary import ReducedVocabulary
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.serving_requests import PLAIN, open_scheduler, request, run, serve_and_act, submit
from tests.tiny_eagle import write_eagle_head
from tests.tiny_heads import write_head
from tests.tiny_models import QWEN3, write_model
from tests.tiny_mtp import write_mtp_head

DRAFT = SpeculationSettings(method="draft", depth=4, sample_share=0.0)


@pytest.fixture(autouse=True)
def it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on what is measured; `test_it_is_used_where_it_saves_more_than_it_loses` tests the choice."""
    monkeypatch.setattr(ReducedVocabulary, "pays", lambda *_: True)


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Scheduler]:
    main = write_model(tmp_path / "main", seed=1, config=QWEN3)
    head = write_mtp_head(tmp_path / "head", main)
    with opened(main, head, tmp_path / "answers") as scheduler:
        yield scheduler


@contextmanager
def opened(main: Path, drafter: Path, folder: Path) -> Iterator[Scheduler]:
    """Open a scheduler that has answered in the chat "old", and whose drafter has the vocabulary of that answer."""
    with open_scheduler(main, drafter, answer_index_folder=folder) as scheduler:
        run(scheduler, asked("old", PLAIN))
        scheduler.changes.stores.renew_vocabulary()
        run(scheduler)
        yield scheduler


def asked(conversation: str | None, speculation: SpeculationSettings = DRAFT, **sampling: float) -> ChatRequest:
    sampling = {"temperature": 1.0, "seed": 5, **sampling}
    return replace(request(max_tokens=40, speculation=speculation, **sampling), conversation=conversation)


def kept(scheduler: Scheduler) -> frozenset[int]:
    reduced = scheduler.models.drafting.reduced
    assert reduced is not None
    return frozenset(reduced.ids.tolist())


@pytest.fixture
def drafted(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """All draft tokens that the main model verifies."""
    found: set[int] = set()
    verify = CachedSequence.verify

    def noting(self: CachedSequence, draft_tokens: mx.array | tuple[int, ...] = ()) -> mx.array:
        # A plain round gives its newest token as the only one.
        if len(draft_tokens) > 1:
            found.update(np.array(draft_tokens).tolist())
        return verify(self, draft_tokens)

    monkeypatch.setattr(CachedSequence, "verify", noting)
    return found


def answer(scheduler: Scheduler, one: ChatRequest) -> tuple[int, ...]:
    scheduler.prefix_cache.shrink(0)
    [client] = run(scheduler, one)
    return client.finished.ids


def test_only_tokens_of_earlier_answers_are_drafted(scheduler: Scheduler, drafted: Set[int]) -> None:
    """The new chat's answer has tokens that cannot be drafted."""
    sampling = {"temperature": 0.9, "top_p": 0.8, "top_k": 20}
    expected = answer(scheduler, asked(None, PLAIN, **sampling | {"seed": 9}))
    assert not kept(scheduler) >= set(expected)
    assert answer(scheduler, asked("new", **sampling | {"seed": 9})) == expected
    assert drafted
    assert drafted <= kept(scheduler)


@pytest.mark.full
@pytest.mark.parametrize(("kind", "tied"), [*product(("mtp", "dflash"), (False, True))])
def test_other_heads_and_tied_matrices_too(tmp_path: Path, drafted: Set[int], kind: str, tied: bool) -> None:
    main = write_model(tmp_path / "main", seed=1, config={**QWEN3, "tie_word_embeddings": tied})
    write = {"mtp": write_mtp_head, "dflash": write_head}[kind]
    with opened(main, write(tmp_path / "head", main), tmp_path / "answers") as scheduler:
        for temperature in (0.0, 1.0):
            one = asked("new", temperature=temperature, seed=9)
            expected = answer(scheduler, replace(one, speculation=PLAIN, conversation=None))
            drafted.clear()
            assert answer(scheduler, one) == expected
            assert drafted
            assert drafted <= kept(scheduler)


@pytest.mark.full
def test_a_head_with_a_vocabulary_of_its_own_keeps_it(tmp_path: Path) -> None:
    main = write_model(tmp_path / "main", seed=1)
    head = write_eagle_head(tmp_path / "head", main, drafted=64)
    with opened(main, head, tmp_path / "answers") as scheduler:
        assert scheduler.models.drafting.reduced is None


@pytest.mark.full
def test_a_request_without_a_named_chat_drafts_with_the_whole_vocabulary(
    scheduler: Scheduler, drafted: Set[int]
) -> None:
    answer(scheduler, asked(None, seed=9))
    assert not drafted <= kept(scheduler)


def test_a_deleted_chat_leaves_the_vocabulary_at_once(scheduler: Scheduler) -> None:
    answer(scheduler, asked("other", PLAIN, seed=11))
    scheduler.changes.stores.renew_vocabulary()
    run(scheduler)
    with_both = kept(scheduler)
    vocabularies: list[ReducedVocabulary | None] = []

    def delete() -> None:
        scheduler.changes.stores.forget_conversations(["old"])
        vocabularies.append(scheduler.models.drafting.reduced)

    expected = answer(scheduler, asked(None, PLAIN, seed=9))
    client = submit(scheduler, asked("new", seed=9))
    serve_and_act(scheduler, client, 3, delete)
    assert vocabularies == [None]
    assert client.finished.ids == expected
    assert len(kept(scheduler)) < len(with_both)
    scheduler.changes.stores.keep_stored(())
    run(scheduler)
    assert scheduler.models.drafting.reduced is None


def test_without_an_index_of_answers_there_is_none(scheduler: Scheduler) -> None:
    settings = scheduler.settings
    scheduler.configure(replace(settings, answer_index_folder=None))
    run(scheduler)
    assert scheduler.models.drafting.reduced is None
    scheduler.configure(settings)
    run(scheduler, asked("old", PLAIN))
    scheduler.changes.stores.renew_vocabulary()
    run(scheduler)
    assert scheduler.models.drafting.reduced is not None


@pytest.mark.full
def test_all_tokens_that_the_tokenizer_adds_can_be_drafted(scheduler: Scheduler) -> None:
    main: LoadedModel = scheduler.models.main
    added = {*main.tokenizer.get_added_vocab().values(), *main.end_tokens}
    assert added
    assert kept(scheduler) >= added


def test_it_is_used_where_it_saves_more_than_it_loses(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    reduced = scheduler.models.drafting.reduced
    assert reduced is not None
    text, other = reduced.ids[:50].tolist(), [max(reduced.ids.tolist()) + 1] * 50
    costs = Costs()
    one = replace(reduced, unseen=0.0, saved_s=0.1)
    # Nothing was measured.
    assert not one.pays(text, costs)
    for _ in range(9):
        costs.observe(1, 0.4)
        costs.observe(5, 1.0, ("head", 4), 0.4)
    assert one.pays(text, costs)
    # The text has other words, or new chats usually have.
    assert not one.pays(other, costs)
    assert not replace(one, unseen=0.05).pays(text, costs)
    assert not replace(one, saved_s=0.02).pays(text, costs)
