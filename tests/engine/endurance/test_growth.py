"""An engine holds no more memory after many answers than after the first ones, and answers cost it no more.

Nothing that outlives an answer may make the next one dearer: conversations in memory and on disk, the answers that
others are looked up in, downloads. The lists of the app are in tests/app/test_growth.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

import pytest

from engine import ChatRequest, Engine, EngineSettings, starter_pair
from engine.answer_index.index import RUN, AnswerIndex
from engine.hub.client import HubAccess
from engine.hub.download_state import DownloadStatus, write_queue
from engine.hub.downloads import DownloadQueue
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.prefix.cache import PrefixCache
from engine.prefix.store import PrefixStore
from engine.serving.scheduler import Scheduler
from engine.speculation.conversation import CachedConversation
from engine.speculation.rounds.sequence import CachedSequence
from tests.counted_steps import FEW, MANY, assert_stays, counted_statements, lines
from tests.engine.endurance.growth import Footprint, Laps, tracing
from tests.engine.serving_requests import PLAIN, load_models, run
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S
from tests.tiny_eagle import write_eagle_head
from tests.tiny_models import write_model

TRAINED = Path(__file__).parents[2] / "starter" / "heads"


@pytest.fixture
def engine(tiny_main: Path, tmp_path: Path) -> Iterator[Engine]:
    with Engine(EngineSettings(prefix_cache_folder=tmp_path / "chats")) as engine:
        # Loading imports modules, whose tracing would take seconds.
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        with tracing():
            yield engine


@pytest.mark.full
def test_answers_leave_nothing(engine: Engine, tiny_main: Path, tiny_draft: Path, tmp_path: Path) -> None:
    drafters = (tiny_draft, write_eagle_head(tmp_path / "eagle", tiny_main))
    laps = Laps(engine, tiny_main, drafters, max_tokens=4)
    # The first lap measures how deep drafts should be, which the next ones are then.
    laps.run()
    first = laps.run()
    assert laps.run().grown_since(first) == {}
    # In each lap the chat begins with the first of them.
    assert (laps.answers, laps.reopened) == (3 * 2 * 7, 3)


@pytest.mark.campaign
def test_two_hundred_answers_leave_nothing(engine: Engine) -> None:
    main, draft = starter_pair()
    drafters = (None, draft, main.parent / "head", TRAINED / "eagle3", TRAINED / "mtp")
    laps = Laps(engine, main, drafters, max_tokens=24)
    found: dict[int, Footprint] = {}
    while laps.answers < 200:
        one = laps.run()
        found[laps.answers] = one
        print(laps.answers, one)
    early = min(answers for answers in found if answers >= 50)
    assert found[laps.answers].grown_since(found[early]) == {}
    assert laps.reopened > 0


# Caches that can be cut anywhere, that go back to checkpoints only, and that lose their first rows.
KINDS = ("llama", "qwen3_next", "gemma3_text")
# What all texts begin with, as with a system prompt.
OPENING = [5, 9, 5, 7, 5, 8]


@pytest.fixture(scope="module", params=by_tier(KINDS, KINDS[:2]))
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    config = {"model_type": request.param, **FAMILIES[request.param]}
    return load(write_model(tmp_path_factory.mktemp("kind") / "main", config=config))


class PartingTexts:
    """Conversations of a model with texts that part after OPENING; all share the arrays of one."""

    def __init__(self, model: LoadedModel) -> None:
        self._model, self._random, self._names = model, Random(5), count()
        self._first = CachedSequence(model.model, model.new_caches())
        self._first.tokens, self._first.boundaries = self.tokens(), (len(OPENING),)
        while self._first.prefill(512):
            pass

    def tokens(self) -> list[int]:
        return [*OPENING, *(self._random.randrange(10, 90) for _ in range(14))]

    def conversation(self, *, named: bool = False) -> CachedConversation:
        sequence = self._first.fork()
        assert sequence is not None
        sequence.tokens = self.tokens()
        return CachedConversation(sequence, name=f"chat {next(self._names)}" if named else None)

    def cache(self, kept: int, *, full: bool = False) -> PrefixCache:
        cache = PrefixCache(2**40)
        for _ in range(kept):
            cache.put(self.conversation())
        if full:
            cache.budget = cache.bytes
        return cache


@pytest.mark.full
@pytest.mark.parametrize("full", [False, True])
def test_a_conversation_costs_no_more_to_keep_where_many_are_kept(model: LoadedModel, full: bool) -> None:
    texts = PartingTexts(model)
    few, many = (lines(partial(texts.cache(kept, full=full).put, texts.conversation())) for kept in (FEW, MANY))
    assert_stays(few, many)


@pytest.mark.first
def test_sizes_are_added_up_once(model: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, asked = PartingTexts(model), list[CachedConversation]()
    cache = texts.cache(200, full=True)
    sizes = CachedConversation.bytes.fget
    assert sizes is not None
    monkeypatch.setattr(CachedConversation, "bytes", property(lambda one: asked.append(one) or sizes(one)))
    cache.put(texts.conversation())
    assert len(asked) <= 2
    assert cache.usage.conversations == 200


@pytest.mark.full
def test_a_text_costs_no_more_to_find_where_many_are_kept(model: LoadedModel) -> None:
    texts = PartingTexts(model)
    few, many = (
        lines(partial(cache.take, model, texts.tokens(), boundaries=(len(OPENING), 19)))
        for cache in (texts.cache(FEW), texts.cache(MANY))
    )
    assert_stays(few, many)


@pytest.mark.full
def test_a_stored_text_costs_no_more_to_find_where_many_are_stored(tiny_main: Path, tmp_path: Path) -> None:
    loaded = load(tiny_main)
    texts, found = PartingTexts(loaded), list[int]()
    for kept in (FEW // 4, MANY // 4):
        store = PrefixStore(tmp_path / str(kept), loaded, 2**40)
        for _ in range(kept):
            store.save(texts.conversation(named=True))
        found.append(lines(partial(store.find, texts.tokens(), 0)))
    assert_stays(*found)


@pytest.mark.full
def test_an_answer_costs_no_more_where_many_are_kept(tiny_main: Path) -> None:
    scheduler = Scheduler()
    load_models(scheduler, tiny_main, None)
    texts, found = PartingTexts(scheduler.models.main), list[int]()
    # The first answer imports modules.
    for kept in (1, FEW, MANY - FEW):
        for _ in range(kept):
            scheduler.prefix_cache.put(texts.conversation())
        question = {"role": "user", "content": f"{kept:03} foxes"}
        asked = ChatRequest((question,), speculation=PLAIN, max_tokens=3)
        found.append(lines(partial(run, scheduler, asked)))
    scheduler.close()
    assert_stays(*found[1:])


def test_an_answer_is_indexed_at_the_cost_of_its_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list[int]()
    with counted_statements(monkeypatch) as statements, closing(AnswerIndex(tmp_path, 2**30)) as index:
        index.use("words").result()
        numbers = count()
        for kept in (FEW, MANY - FEW):
            for _ in range(kept):
                index.add("chat", [next(numbers) for _ in range(RUN + 1)])
            index.use("words").result()
            before = statements.steps
            index.add("chat", [next(numbers) for _ in range(RUN + 1)])
            index.use("words").result()
            found.append(statements.steps - before)
    assert_stays(*found)


def test_a_download_changes_at_the_same_cost(tmp_path: Path) -> None:
    found = list[int]()
    for kept in (FEW, MANY):
        path = tmp_path / f"{kept}.json"
        ready = [DownloadStatus(f"maker/model-{number}", "ready", commit="a" * 40) for number in range(kept)]
        write_queue(path, [*ready, DownloadStatus("maker/last", "paused")])
        with closing(DownloadQueue(tmp_path / "models", HubAccess(offline=True), path)) as queue:
            found.append(lines(partial(queue.resume, "maker/last")))
            assert [status.state for status in queue.snapshot()[-2:]] == ["ready", "queued"]
    assert_stays(*found)
