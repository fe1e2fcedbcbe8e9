"""Assistants of Gemma 4 in the whole engine: the text stays as it is, and they look at what the main model kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.heads.assistant_network import AssistantHead
from engine.heads.head import Draw, HeadContext, HeadProposal
from engine.model_files.discovery import installed_models
from engine.requests import SpeculationSettings
from engine.scheduler import Scheduler
from engine.speculation.taps import layers_of
from tests.engine.chain_sessions import assert_as_read_anew, read_anew, session_of
from tests.engine.serving import PLAIN, alone, load_models, request, run
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_assistant import write_assistant
from tests.tiny_models import write_model

pytestmark = pytest.mark.usefixtures("without_compilation")

HEAD = SpeculationSettings(method="draft", depth=3)


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    scheduler = Scheduler()
    yield scheduler
    scheduler.close()


def serve(scheduler: Scheduler, folder: Path, *, ordered: bool = False) -> None:
    main = write_model(folder / "main", config={"model_type": "gemma4", **FAMILIES["gemma4"]})
    pair = load_models(scheduler, main, write_assistant(folder / "head", main, ordered=ordered))
    assert pair.draft_problem is None
    assert pair.draft is not None
    assert (pair.draft.kind, pair.draft.architecture) == ("head", "mtp")


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_the_text_is_the_same_with_the_assistant_as_without(
    scheduler: Scheduler, tmp_path: Path, ordered: bool, temperature: float
) -> None:
    serve(scheduler, tmp_path, ordered=ordered)
    for depth in (1, 4):
        asked = request(max_tokens=24, temperature=temperature, speculation=replace(HEAD, depth=depth))
        expected = alone(scheduler, replace(asked, speculation=PLAIN))
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert client.finished.stats.drafted > 0
    assert_as_read_anew(scheduler, waiting=0)


@pytest.mark.parametrize("wrong", [1, 2, 3, 5])
def test_rounds_accepted_in_part_leave_every_cache_as_if_read_at_once(
    scheduler: Scheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: int
) -> None:
    """Every `wrong`-th draft token is rejected."""
    serve(scheduler, tmp_path)
    asked = request(max_tokens=24, speculation=HEAD)
    expected = alone(scheduler, replace(asked, speculation=PLAIN))
    prompt: list[int] = scheduler.models.main.tokenizer.apply_chat_template(
        list(asked.messages), add_generation_prompt=True, tokenize=True, return_dict=False
    )
    answers = [(t + 1) % 90 if i % wrong == 0 else t for i, t in enumerate([*prompt, *expected.ids])]
    real = AssistantHead.propose

    def told(head: AssistantHead, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        made, first = real(head, context, anchor, count, draw), context.length + 1
        tokens = [answers[place] if place < len(answers) else 0 for place in range(first, first + count)]
        wanted = mx.array(tokens, mx.int32)
        return HeadProposal(wanted, mx.where(mx.arange(made.scores.shape[1]) == wanted[:, None], 30.0, made.scores * 0))

    monkeypatch.setattr(AssistantHead, "propose", told)
    [client] = run(scheduler, asked)
    assert client.finished.ids == expected.ids
    stats = client.finished.stats
    assert stats.drafted > stats.accepted
    assert (stats.accepted > 0) == (wrong > 1)
    monkeypatch.undo()
    assert_as_read_anew(scheduler, waiting=0)


def test_the_keys_are_those_of_the_main_model_s_caches(scheduler: Scheduler, tmp_path: Path) -> None:
    """Layers 0 (sliding) and 1 (full) are the last ones with keys of their own."""
    serve(scheduler, tmp_path)
    run(scheduler, request(max_tokens=8, speculation=HEAD))
    main = scheduler.models.main
    context = read_anew(scheduler)
    tokens = scheduler.prefix_cache.latest.main.tokens[: context.length]
    caches = main.new_caches()
    mx.eval(main.model(mx.array([tokens], mx.uint32), cache=caches))
    assert len(layers_of(main.model)) == 4
    for index, cache in ((0, caches[1]), (1, caches[0])):
        # The buffer of the cache of everything has room to spare.
        kept, own = context.state[f"{index}.keys"], cache.keys[:, :, : cache.offset]
        rows = min(kept.shape[2], own.shape[2])
        assert rows > 1
        assert mx.allclose(kept[:, :, -rows:], own[:, :, -rows:].astype(kept.dtype), atol=1e-4)


def test_the_next_turn_finds_what_the_assistant_has_read(scheduler: Scheduler, tmp_path: Path) -> None:
    serve(scheduler, tmp_path)
    first = request("the quick brown fox jumps over the lazy dog", speculation=HEAD)
    [client] = run(scheduler, first)
    answered = [*first.messages, {"role": "assistant", "content": client.finished.text}]
    asked = replace(first, messages=[*answered, {"role": "user", "content": "and then"}])
    expected = alone(scheduler, replace(asked, speculation=PLAIN))
    [again] = run(scheduler, asked)
    assert again.finished.ids == expected.ids
    assert again.finished.stats.drafted > 0
    assert session_of(scheduler).start == 0


def test_an_assistant_is_listed_as_a_head(scheduler: Scheduler, tmp_path: Path) -> None:
    serve(scheduler, tmp_path)
    found = {model.id: model for model in installed_models(tmp_path / "none", [tmp_path])}
    assert (found["head"].head, found["head"].kinds) == ("mtp", ("head",))
    assert "head" not in found["main"].kinds
