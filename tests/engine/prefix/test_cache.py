"""Only new tokens are prefilled: next turn, regenerated answer, edited message, branch, shared system prompt."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.decoders.generation import Generation
from engine.decoders.prepared import prepare
from engine.events import Finished
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.serving_requests import DEPTH, ask_for_words, assistant_turn, run, user, worded_request
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.tiers import by_tier
from tests.tiny_models import write_disturbed_copy, write_model

KINDS: dict[str, dict[str, Any]] = {
    "full attention": {"model_type": "llama", **FAMILIES["llama"]},
    "sliding window": {"model_type": "gemma3_text", **FAMILIES["gemma3_text"]},
    "chunks": {"model_type": "llama4", **FAMILIES["llama4"]},
    "hybrid": {"model_type": "qwen3_next", **FAMILIES["qwen3_next"]},
}
# Caches that can be cut anywhere, and those that can only go back to the ends of turns.
DEFAULT = ("full attention", "hybrid")
SYSTEM = {"role": "system", "content": "lazy dog jumps over the fox"}


@pytest.fixture(scope="module", params=by_tier(KINDS, DEFAULT))
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[LoadedModel, LoadedModel]:
    config = {**KINDS[request.param], "max_position_embeddings": 4096}
    folder = tmp_path_factory.mktemp("kind")
    main = write_model(folder / "main", config=config)
    return load(main), load(write_disturbed_copy(main, folder / "draft", amount=0.01))


@pytest.fixture(params=["with a draft", pytest.param("without a draft", marks=pytest.mark.full)])
def scheduler(request: pytest.FixtureRequest, pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Scheduler]:
    scheduler = Scheduler()
    scheduler.changes.install(pair[0], pair[1] if request.param == "with a draft" else None)
    yield scheduler
    scheduler.close()


def read(finished: Finished) -> int:
    """Return the number of prompt tokens that the main model had to read."""
    return finished.stats.prompt_tokens - finished.stats.cached_tokens


def fresh(later: Finished, before: Finished) -> int:
    """Return the number of prompt tokens that are new since the turn `before`.

    The last token of an answer is one of them: it is not fed while the answer lasts.
    """
    return later.stats.prompt_tokens - before.stats.prompt_tokens - len(before.ids) + 1


def draft_reads(finished: Finished) -> int:
    """Return the number of prompt tokens that the draft model had to read, without those that plain rounds added."""
    return finished.stats.draft_prefill_tokens - sum(span.tokens for span in finished.stats.plain_spans)


@pytest.mark.full
def test_a_chat_prefills_only_what_is_new_and_the_cache_changes_no_text(scheduler: Scheduler) -> None:
    def said(*messages: dict[str, str]) -> Finished:
        return ask_for_words(scheduler, *messages, max_tokens=8)

    opening = (SYSTEM, user("the quick brown fox"))
    first = said(*opening)
    regenerated = said(*opening)
    assert regenerated.ids == first.ids
    assert read(regenerated) == 1
    assert draft_reads(regenerated) <= 1
    original = (*opening, assistant_turn(first), user("over and over again"))
    second = said(*original)
    assert read(second) == fresh(second, first)
    assert draft_reads(second) < fresh(second, first) + DEPTH
    changed = (*opening, assistant_turn(first), user("lazy"))
    edited = said(*changed)
    assert read(edited) <= fresh(second, first)
    assert draft_reads(edited) <= read(edited) + DEPTH
    # The branch leaves the original unchanged.
    longer = (*original, assistant_turn(second), user("fox"))
    third = said(*longer)
    assert read(third) == fresh(third, second)
    other = said(SYSTEM, user("안녕하세요"))
    assert other.stats.cached_tokens >= len(scheduler.models.main.tokenizer.apply_chat_template([SYSTEM]))
    for messages, known in ((changed, edited), (longer, third), ((SYSTEM, user("안녕하세요")), other)):
        scheduler.clear_prefix_cache()
        assert said(*messages).ids == known.ids


@pytest.mark.parametrize("chat", by_tier(["chat", ""], ["chat"]))
def test_no_program_finds_out_what_a_chat_says(scheduler: Scheduler, chat: str) -> None:
    said = user("the quick brown fox")
    first = ask_for_words(scheduler, said, conversation=chat)
    guessed = ask_for_words(scheduler, said)
    assert guessed.stats.cached_tokens == 0
    assert guessed.ids == first.ids
    # Nor from what the chat would take of the program's own.
    other = user("lazy dog over the fox")
    ask_for_words(scheduler, other)
    ask_for_words(scheduler, other, conversation=chat)
    assert read(ask_for_words(scheduler, other)) == 1
    assert read(ask_for_words(scheduler, said)) == 1
    assert read(ask_for_words(scheduler, said, conversation=chat)) == 1


def test_no_caller_finds_out_what_another_one_asks(scheduler: Scheduler) -> None:
    secret = ask_for_words(scheduler, SYSTEM, user("the quick brown fox"), caller="Kim")
    only_system = len(scheduler.models.main.tokenizer.apply_chat_template([SYSTEM]))
    for guess in ("the", "the quick", "the quick brown", "the quick brown fox"):
        guessed = ask_for_words(scheduler, SYSTEM, user(guess), caller=f"guesses {guess}")
        assert guessed.stats.cached_tokens == only_system
        # The draft model reads all that is theirs, too: its times would tell of a right guess.
        assert not guessed.stats.draft or guessed.stats.draft_prefill_tokens >= read(guessed) - 1
    assert guessed.ids == secret.ids
    assert read(ask_for_words(scheduler, SYSTEM, user("the quick brown fox"), caller="Kim")) == 1


def test_callers_share_a_system_message_only_as_a_whole(scheduler: Scheduler) -> None:
    def cached(text: str, caller: str) -> int:
        system = {"role": "system", "content": text}
        return ask_for_words(scheduler, system, user("fox"), caller=caller).stats.cached_tokens

    assert cached("the quick brown fox jumps", "Kim") == 0
    assert cached("the quick brown", "Lee") == 0
    assert cached("the quick brown fox jumps over", "Park") == 0
    assert cached("the quick brown fox jumps", "Park") >= len(["the", "quick", "brown", "fox", "jumps"])


@pytest.mark.parametrize(
    "pair", by_tier([kind for kind in KINDS if kind != "full attention"], DEFAULT), indirect=True, scope="module"
)
def test_a_shortened_conversation_remembers_where_its_turns_end(scheduler: Scheduler) -> None:
    main = scheduler.models.main
    # The caches of full attention can be cut anywhere.
    assert CachedSequence(main.model, main.new_caches()).needs_boundaries
    limited = replace(main, info=replace(main.info, context_length=160))
    turns = [message for turn in range(9) for message in (user(f"fox {turn}"), {**user("dog"), "role": "assistant"})]
    asked = replace(worded_request(scheduler, SYSTEM, *turns, user("and then"), max_tokens=8), overflow="shorten")
    generation = Generation(prepare(asked, limited), scheduler.prefix_cache, 0.0)
    assert generation.stats().dropped_messages > 0
    last = len(main.tokenizer.encode("<|im_start|>user\nand then<|im_end|>\n<|im_start|>assistant\n"))
    assert len(generation.conversation.main.tokens) - last in generation.conversation.main.boundaries


@pytest.mark.parametrize("pair", by_tier(["hybrid", "sliding window"], ("hybrid",)), indirect=True, scope="module")
@pytest.mark.parametrize(
    ("interval", "second_reads", "third_reads"), by_tier([(8192, 240, 40), (80, 120, 104)], [(80, 120, 104)])
)
def test_questions_about_one_document_read_it_once(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch, interval: int, second_reads: int, third_reads: int
) -> None:
    """They part within a message: the third branches off where the second did, or at most an interval before it."""
    monkeypatch.setattr("engine.prefix.cache.CHECKPOINT_SPACING", interval)
    monkeypatch.setattr("engine.speculation.rounds.sequence.CHECKPOINT_SPACING", interval)
    document = " ".join(random.Random(5).choices(("fox", "dog", "lazy", "over"), k=200))

    def said(text: str) -> Finished:
        return ask_for_words(scheduler, SYSTEM, user(f"{document} {text}"), max_tokens=6)

    said("the quick brown")
    second, third = said("jumps"), said("안녕하세요")
    assert read(second) <= second_reads
    assert read(third) <= third_reads
    assert draft_reads(third) <= third_reads + DEPTH
    for text, known in (("jumps", second), ("안녕하세요", third)):
        scheduler.clear_prefix_cache()
        assert said(text).ids == known.ids


def test_answers_that_shared_a_batch_are_cached_too(scheduler: Scheduler) -> None:
    texts = ("fox", "dog jumps")
    clients = run(scheduler, *(worded_request(scheduler, SYSTEM, user(text), max_tokens=6) for text in texts))
    for text, client in zip(texts, clients, strict=True):
        second = ask_for_words(
            scheduler, SYSTEM, user(text), assistant_turn(client.finished), user("and then"), max_tokens=2
        )
        assert read(second) <= fresh(second, client.finished)


def test_a_short_turn_takes_the_memory_of_its_rows_and_goes_on(tiny_main: Path) -> None:
    """Buffers have room for 256 tokens."""
    with closing(Scheduler()) as scheduler:
        scheduler.changes.install(load(tiny_main), None)
        first = ask_for_words(scheduler, user("fox"))
        assert 0 < scheduler.prefix_cache.usage.bytes < scheduler.models.memory.cache_bytes(256) / 2
        again = ask_for_words(scheduler, user("fox"))
        assert (read(again), again.ids) == (1, first.ids)


@pytest.mark.full
def test_the_cache_stays_within_its_bytes_and_drops_the_oldest(tiny_main: Path) -> None:
    scheduler = Scheduler()
    scheduler.changes.install(load(tiny_main), None)
    ask_for_words(scheduler, user("fox"))
    scheduler.configure(EngineSettings(prefix_cache_bytes=int(2.5 * scheduler.prefix_cache.usage.bytes)))
    for text in ("dog", "jumps"):
        ask_for_words(scheduler, user(text))
    assert scheduler.prefix_cache.usage.bytes <= scheduler.prefix_cache.usage.budget
    assert scheduler.prefix_cache.usage.conversations == 2
    assert read(ask_for_words(scheduler, user("jumps"))) == 1
    # The others were prefilled from the first one's cache, which made it the last one used.
    assert read(ask_for_words(scheduler, user("fox"))) == 1
    assert read(ask_for_words(scheduler, user("dog"))) > 1
    scheduler.clear_prefix_cache()
    assert scheduler.prefix_cache.usage.conversations == 0
    scheduler.close()


@pytest.mark.parametrize("pair", ["hybrid"], indirect=True, scope="module")
def test_inner_checkpoints_go_before_a_conversation_does(pair: tuple[LoadedModel, LoadedModel]) -> None:
    with closing(Scheduler()) as scheduler:
        scheduler.changes.install(pair[0], None)
        turns = [
            message for turn in range(2) for message in (user(f"fox {turn}"), {**user("dog"), "role": "assistant"})
        ]
        for count in (1, 3, 5):
            ask_for_words(scheduler, SYSTEM, *[*turns, user("and then")][:count], max_tokens=4)
        cache = scheduler.prefix_cache
        held = cache.usage
        cache.shrink(held.bytes - 1)
        assert (cache.usage.conversations, cache.usage.bytes < held.bytes) == (held.conversations, True)
        assert read(ask_for_words(scheduler, SYSTEM, *turns, user("and then"), max_tokens=4)) == 1
