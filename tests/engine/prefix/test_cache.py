"""Only what is new is prefilled: next turn, regenerated answer, edited message, branch, shared system prompt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from engine.decoders.generation import Generation
from engine.events import Finished
from engine.main_model.loading import LoadedModel, load
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.rounds.sequence import Sequence
from tests.engine.chats import DEPTH, answer, ask, question, user
from tests.engine.serving_requests import run
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_models import write_disturbed_copy, write_model

pytestmark = pytest.mark.usefixtures("without_compilation")

KINDS: dict[str, dict[str, Any]] = {
    "full attention": {"model_type": "llama", **FAMILIES["llama"]},
    "sliding window": {"model_type": "gemma3_text", **FAMILIES["gemma3_text"]},
    "chunks": {"model_type": "llama4", **FAMILIES["llama4"]},
    "hybrid": {"model_type": "qwen3_next", **FAMILIES["qwen3_next"]},
}
SYSTEM = {"role": "system", "content": "lazy dog jumps over the fox"}


@pytest.fixture(scope="module", params=KINDS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[LoadedModel, LoadedModel]:
    config = {**KINDS[request.param], "max_position_embeddings": 4096}
    folder = tmp_path_factory.mktemp("kind")
    main = write_model(folder / "main", config=config)
    return load(main), load(write_disturbed_copy(main, folder / "draft", amount=0.01))


@pytest.fixture(params=["with a draft", "without a draft"])
def scheduler(request: pytest.FixtureRequest, pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Scheduler]:
    scheduler = Scheduler()
    scheduler.install(pair[0], pair[1] if request.param == "with a draft" else None)
    yield scheduler
    scheduler.close()


def system_tokens(scheduler: Scheduler) -> int:
    return len(scheduler.models.main.tokenizer.apply_chat_template([SYSTEM]))


def read(finished: Finished) -> int:
    """Prompt tokens that the main model had to read."""
    return finished.stats.prompt_tokens - finished.stats.cached_tokens


def test_a_second_turn_prefills_only_what_is_new(scheduler: Scheduler) -> None:
    first = ask(scheduler, SYSTEM, user("the quick brown fox"))
    second = ask(scheduler, SYSTEM, user("the quick brown fox"), answer(first), user("and then"))
    fresh = second.stats.prompt_tokens - first.stats.prompt_tokens - len(first.ids)
    # The last token of an answer is not fed while the answer lasts.
    assert read(second) == fresh + 1
    assert second.stats.draft_prefill_tokens <= fresh + DEPTH


def test_a_regenerated_answer_prefills_one_token(scheduler: Scheduler) -> None:
    first = ask(scheduler, SYSTEM, user("the quick brown fox"))
    again = ask(scheduler, SYSTEM, user("the quick brown fox"))
    assert again.ids == first.ids
    assert read(again) == 1
    assert again.stats.draft_prefill_tokens <= 1


def test_an_edited_message_prefills_from_its_turn_on(scheduler: Scheduler) -> None:
    opening = (SYSTEM, user("the quick brown fox"))
    first = ask(scheduler, *opening)
    second = ask(scheduler, *opening, answer(first), user("over and over again"))
    edited = ask(scheduler, *opening, answer(first), user("lazy"))
    assert read(edited) <= second.stats.prompt_tokens - first.stats.prompt_tokens - len(first.ids) + 1
    assert edited.stats.draft_prefill_tokens <= read(edited) + DEPTH


def test_a_branch_leaves_the_original_where_it_was(scheduler: Scheduler) -> None:
    opening = (SYSTEM, user("the quick brown fox"))
    first = ask(scheduler, *opening)
    original = (*opening, answer(first), user("over and over again"))
    second = ask(scheduler, *original)
    ask(scheduler, *opening, answer(first), user("lazy dog"))
    third = ask(scheduler, *original, answer(second), user("fox"))
    assert read(third) == third.stats.prompt_tokens - second.stats.prompt_tokens - len(second.ids) + 1


def test_chats_with_one_system_prompt_prefill_it_once(scheduler: Scheduler) -> None:
    first = ask(scheduler, SYSTEM, user("the quick brown fox"))
    other = ask(scheduler, SYSTEM, user("안녕하세요"))
    assert other.stats.cached_tokens >= system_tokens(scheduler)
    second = ask(scheduler, SYSTEM, user("the quick brown fox"), answer(first), user("and then"))
    assert read(second) == second.stats.prompt_tokens - first.stats.prompt_tokens - len(first.ids) + 1


def test_a_shortened_conversation_remembers_where_its_turns_end(scheduler: Scheduler) -> None:
    main = scheduler.models.main
    if not Sequence(main.model, main.new_caches()).needs_boundaries:
        pytest.skip("its caches can be cut anywhere")
    limited = replace(main, info=replace(main.info, context_length=160))
    turns = [message for turn in range(9) for message in (user(f"fox {turn}"), {**user("dog"), "role": "assistant"})]
    asked = replace(question(scheduler, SYSTEM, *turns, user("and then"), max_tokens=8), overflow="shorten")
    generation = Generation(asked, limited, scheduler.prefix_cache, 0.0)
    assert generation.stats().dropped_messages > 0
    last = len(main.tokenizer.encode("<|im_start|>user\nand then<|im_end|>\n<|im_start|>assistant\n"))
    assert len(generation.conversation.main.tokens) - last in generation.conversation.main.boundaries


def test_what_came_from_the_cache_changes_no_text(scheduler: Scheduler) -> None:
    opening = (SYSTEM, user("the quick brown fox"))
    first = ask(scheduler, *opening)
    turns = [
        (*opening, answer(first), user("over and over again")),
        (*opening, answer(first), user("lazy dog")),
        (SYSTEM, user("the quick brown dog")),
        opening,
    ]
    cached = [ask(scheduler, *messages).ids for messages in turns]
    fresh = []
    for messages in turns:
        scheduler.clear_prefix_cache()
        fresh.append(ask(scheduler, *messages).ids)
    assert cached == fresh


def test_answers_that_shared_a_batch_are_cached_too(scheduler: Scheduler) -> None:
    asked = [question(scheduler, SYSTEM, user(text)) for text in ("fox", "dog jumps")]
    firsts = [client.finished for client in run(scheduler, *asked)]
    for text, first in zip(("fox", "dog jumps"), firsts, strict=True):
        second = ask(scheduler, SYSTEM, user(text), answer(first), user("and then"))
        assert read(second) <= second.stats.prompt_tokens - first.stats.prompt_tokens - len(first.ids) + 1


def test_the_cache_stays_within_its_bytes_and_drops_the_oldest(pair: tuple[LoadedModel, LoadedModel]) -> None:
    roomy = Scheduler()
    roomy.install(pair[0], None)
    ask(roomy, user("fox"))
    one = roomy.prefix_cache.usage.bytes
    roomy.close()
    scheduler = Scheduler(EngineSettings(prefix_cache_bytes=int(2.5 * one)))
    scheduler.install(pair[0], None)
    for text in ("fox", "dog", "jumps"):
        ask(scheduler, user(text))
    assert scheduler.prefix_cache.usage.bytes <= scheduler.prefix_cache.usage.budget
    assert scheduler.prefix_cache.usage.conversations == 2
    assert read(ask(scheduler, user("jumps"))) == 1
    scheduler.clear_prefix_cache()
    assert scheduler.prefix_cache.usage.conversations == 0
    scheduler.close()
