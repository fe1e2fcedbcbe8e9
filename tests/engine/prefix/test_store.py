"""A chat of an earlier session is not prefilled again; damaged and foreign files are ignored."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.events import Finished
from engine.prefix import store as prefix_store
from engine.prefix.files import checksum
from engine.requests import ChatRequest
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.chats import DEPTH, answer, question, user
from tests.engine.chats import ask as ask_in
from tests.engine.serving_requests import Client, load_models, run, submit
from tests.engine.serving_requests import request as unnamed
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_models import write_disturbed_copy, write_model

# A hybrid has caches of two kinds.
FURTHER = [pytest.param(name, marks=pytest.mark.full) for name in ("llama", "gemma3_text")]


@pytest.fixture(scope="module", params=["qwen3_next", *FURTHER])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = {"model_type": request.param, **FAMILIES[request.param]}
    return write_model(tmp_path_factory.mktemp("kind") / "main", config=config)


@pytest.fixture
def draft(model: Path, tmp_path: Path) -> Path:
    return write_disturbed_copy(model, tmp_path / "draft", amount=0.01)


def opened(model: Path, store: Path, draft: Path | None = None) -> Scheduler:
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=store))
    load_models(scheduler, model, draft)
    return scheduler


def session(model: Path, store: Path, asked: ChatRequest) -> Finished:
    """Load the model, ask once, unload it."""
    with closing(opened(model, store)) as scheduler:
        return run(scheduler, asked)[0].finished


def request(text: str = "the quick brown fox", max_tokens: int = 40, conversation: str = "chat") -> ChatRequest:
    return replace(unnamed(text, max_tokens=max_tokens), conversation=conversation)


def ask(scheduler: Scheduler, *messages: dict[str, str], conversation: str = "chat") -> Finished:
    return ask_in(scheduler, *messages, conversation=conversation)


OPENING = user("the quick brown fox")


def test_the_next_session_prefills_only_what_is_new(model: Path, draft: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with closing(opened(model, store, draft)) as before:
        first = ask(before, OPENING)
    known = first.stats.prompt_tokens + len(first.ids) - 1
    with closing(opened(model, store, draft)) as later:
        again = ask(later, OPENING)
        assert again.ids == first.ids
        assert again.stats.cached_tokens == again.stats.prompt_tokens - 1
        # The draft model reads no more than the tokens of plain rounds.
        assert again.stats.draft_prefill_tokens <= 6
        turns = (OPENING, answer(first), user("and then"))
        second = ask(later, *turns)
        assert second.stats.cached_tokens == known
        assert second.stats.drafted > 0
        # It may lack the tokens of the last plain rounds, too.
        assert second.stats.draft_prefill_tokens <= second.stats.prompt_tokens - known - 1 + DEPTH + 6
        later.clear_prefix_cache()
        assert ask(later, *turns).ids == second.ids


def test_a_turn_is_used_without_a_draft_model_and_with_another_and_replaced_by_a_longer_one(
    model: Path, draft: Path, tmp_path: Path
) -> None:
    store, other = tmp_path / "store", Path(shutil.copytree(draft, tmp_path / "other"))
    with closing(opened(model, store, draft)) as before:
        first = ask(before, OPENING)
    turns = (OPENING, answer(first), user("and then"))
    with closing(opened(model, store, other)) as later:
        second = ask(later, *turns)
    assert second.stats.cached_tokens == first.stats.prompt_tokens + len(first.ids) - 1
    assert second.stats.draft_prefill_tokens >= first.stats.prompt_tokens
    assert len(list(store.glob("*.json"))) == len(list(store.glob("*.safetensors"))) == 1
    with closing(opened(model, store)) as alone:
        again = ask(alone, *turns)
    assert again.ids == second.ids
    assert again.stats.cached_tokens == again.stats.prompt_tokens - 1


def test_only_their_owner_reads_stored_turns(tiny_main: Path, tmp_path: Path) -> None:
    store, umask = tmp_path / "prefixes", os.umask(0o022)
    try:
        session(tiny_main, store, request())
        assert [path.name for path in (store, *store.iterdir()) if path.stat().st_mode & 0o077] == []
        for path in (store, *store.iterdir()):
            path.chmod(0o755)
        opened(tiny_main, store).close()
        assert [path.name for path in (store, *store.iterdir()) if path.stat().st_mode & 0o077] == []
    finally:
        os.umask(umask)


def test_clearing_clears_the_disk_too(tiny_main: Path, tmp_path: Path) -> None:
    session(tiny_main, tmp_path, request("fox", max_tokens=2))
    scheduler = opened(tiny_main, tmp_path)
    assert scheduler.status.prefix_cache.stored > 0
    scheduler.clear_prefix_cache()
    assert scheduler.status.prefix_cache.stored == 0
    assert list(tmp_path.iterdir()) == []
    [client] = run(scheduler, request("fox", max_tokens=2))
    assert client.finished.stats.cached_tokens == 0
    scheduler.close()


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-50] ^= 1
    file.write_bytes(content)


def _empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("damage", [_cut, _flip, _empty, Path.unlink])
@pytest.mark.parametrize("suffix", [".safetensors", ".json"])
def test_a_damaged_file_is_ignored(
    tiny_main: Path, tmp_path: Path, damage: Callable[[Path], None], suffix: str
) -> None:
    asked = request(max_tokens=1)
    first = session(tiny_main, tmp_path, asked)
    [file] = tmp_path.glob(f"*{suffix}")
    damage(file)
    again = session(tiny_main, tmp_path, asked)
    assert again.ids == first.ids
    assert again.stats.cached_tokens in (0, again.stats.prompt_tokens - 1)
    assert suffix == ".json" or again.stats.cached_tokens == 0


@pytest.mark.parametrize("number", ["nan", "inf"])
def test_a_turn_with_a_row_that_is_not_finite_is_ignored(tiny_main: Path, tmp_path: Path, number: str) -> None:
    asked = request(max_tokens=1)
    first = session(tiny_main, tmp_path, asked)
    [data], [entry] = tmp_path.glob("*.safetensors"), tmp_path.glob("*.json")
    arrays, metadata = mx.load(str(data), return_metadata=True)
    arrays["0"][0, 0, 0, 0] = float(number)
    mx.save_safetensors(str(data), arrays, metadata)
    # As a device that failed without saying so would have let it be written.
    entry.write_text(json.dumps({**json.loads(entry.read_text()), "sha256": checksum(data)}))
    again = session(tiny_main, tmp_path, asked)
    assert again.ids == first.ids
    assert again.stats.cached_tokens == 0


@pytest.mark.parametrize("other", ["weights", "configuration", "format"])
def test_what_belongs_to_something_else_is_ignored(tiny_main: Path, tmp_path: Path, other: str) -> None:
    model, store, asked = tmp_path / "model", tmp_path / "store", request(max_tokens=1)
    shutil.copytree(tiny_main, model)
    session(model, store, asked)
    if other == "weights":
        model = Path(shutil.copytree(model, tmp_path / "copy"))
    else:
        [entry] = store.glob("*.json")
        file = entry if other == "format" else model / "config.json"
        change = {"format": 99} if other == "format" else {"rope_theta": 500.0}
        file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    assert session(model, store, asked).stats.cached_tokens == 0


def test_the_folder_stays_within_its_bytes(tiny_main: Path, tmp_path: Path) -> None:
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=tmp_path, prefix_folder_bytes=300_000))
    load_models(scheduler, tiny_main, None)
    for text in ("fox", "lazy dog", "안녕하세요"):
        run(scheduler, request(text, max_tokens=2))
        scheduler.prefix_cache.save()
    scheduler.close()
    assert 0 < sum(file.stat().st_size for file in tmp_path.glob("*.safetensors")) <= 300_000


@pytest.mark.expects_log
def test_a_folder_that_cannot_be_written_costs_nothing_else(tiny_main: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert session(tiny_main, blocked, request(max_tokens=2)).reason == "length"


# What is stored of a conversation, and for how long


def files(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()} if folder.exists() else set()


def test_only_turns_with_a_name_are_stored(tiny_main: Path, tmp_path: Path) -> None:
    with closing(opened(tiny_main, tmp_path)) as scheduler:
        run(scheduler, unnamed(max_tokens=4), unnamed("lazy dog", max_tokens=2))
        # It is kept although a longer turn without a name covers it.
        run(scheduler, request(max_tokens=2))
        assert scheduler.prefix_cache.usage.conversations == 3
    [entry] = tmp_path.glob("*.json")
    assert json.loads(entry.read_text())["name"] == "chat"


def test_what_chats_begin_with_is_read_and_stored_once_and_outlives_them(
    model: Path, draft: Path, tmp_path: Path
) -> None:
    def stored() -> set[str]:
        return {json.loads(entry.read_text())["name"] for entry in tmp_path.glob("store/*.json")}

    book = {"role": "system", "content": "the quick brown fox jumps over the lazy dog " * 12}
    with closing(opened(model, tmp_path / "store", draft)) as scheduler:
        length = len(scheduler.models.main.tokenizer.apply_chat_template([book]))
        first = ask(scheduler, book, user("fox"), conversation="first")
        [kept] = run(scheduler, replace(question(scheduler, book, user("."), conversation="book"), shared=True))
        assert first.stats.cached_tokens == 0
        assert kept.finished.stats.cached_tokens >= length
        long = ask(scheduler, book, user("lazy dog " * 80), conversation="long")
        scheduler.changes.stores.forget_conversations(["first"])
        second = ask(scheduler, book, user("dog"), conversation="second")
        assert min(long.stats.cached_tokens, second.stats.cached_tokens) >= length
    # A chat that says more than its beginning has caches of its own.
    assert stored() == {"book", "long"}
    with closing(opened(model, tmp_path / "store", draft)) as later:
        again = ask(later, book, user("dog"), conversation="third")
        assert (again.ids, again.stats.cached_tokens >= length) == (second.ids, True)
        later.clear_prefix_cache()
        assert ask(later, book, user("dog")).ids == second.ids


def test_a_forgotten_conversation_leaves_nothing(tiny_main: Path, tmp_path: Path) -> None:
    scheduler = opened(tiny_main, tmp_path)
    asked = request(max_tokens=2), request("lazy dog", max_tokens=2, conversation="other")
    run(scheduler, *asked)
    scheduler.prefix_cache.save()
    before = files(tmp_path)
    scheduler.changes.stores.forget_conversations(["chat"])
    assert len(files(tmp_path)) == 2 < len(before)
    assert scheduler.prefix_cache.usage.conversations == 1
    [forgotten, kept] = run(scheduler, replace(asked[0], conversation="new"), asked[1])
    # All chats begin alike.
    assert forgotten.finished.stats.cached_tokens < 8
    assert kept.finished.stats.cached_tokens == kept.finished.stats.prompt_tokens - 1
    scheduler.close()


@pytest.mark.parametrize("loaded", [True, False])
def test_forgetting_covers_the_caches_of_all_models(tiny_main: Path, tmp_path: Path, loaded: bool) -> None:
    store, other = tmp_path / "store", Path(shutil.copytree(tiny_main, tmp_path / "other"))
    for main in (tiny_main, other):
        session(main, store, request(max_tokens=2))
    assert len(files(store)) == 4
    with closing(Scheduler(EngineSettings(prefix_cache_folder=store))) as scheduler:
        if loaded:
            load_models(scheduler, tiny_main, None)
        scheduler.changes.stores.forget_conversations(["chat"])
        assert files(store) == set()


def test_what_is_forgotten_while_it_is_answered_is_not_kept(tiny_main: Path, tmp_path: Path) -> None:
    scheduler = opened(tiny_main, tmp_path)
    client: Client = submit(scheduler, request(max_tokens=8))
    scheduler.step()
    scheduler.changes.stores.forget_conversations(["chat"])
    while scheduler.busy:
        scheduler.step()
    assert client.finished.reason == "length"
    assert scheduler.prefix_cache.usage.conversations == 0
    scheduler.close()
    assert files(tmp_path) == set()


def test_only_known_conversations_stay_on_the_disk(tiny_main: Path, tmp_path: Path) -> None:
    for name in ("chat", "other"):
        session(tiny_main, tmp_path, request(name, max_tokens=2, conversation=name))
    [one, *_] = tmp_path.glob("*.json")
    shutil.copy(one, tmp_path / "nobody-0.json")
    (tmp_path / "nobody-0.partial.safetensors").write_bytes(b"half a file")
    (tmp_path / "notes.txt").write_text("not ours")
    scheduler = opened(tiny_main, tmp_path)
    scheduler.changes.stores.keep_stored(["other"])
    [entry] = tmp_path.glob("*.json")
    assert json.loads(entry.read_text())["name"] == "other"
    assert len(files(tmp_path)) == 3
    [known] = run(scheduler, request("other", max_tokens=2, conversation="other"))
    assert known.finished.stats.cached_tokens > 0
    scheduler.close()


def test_a_long_chat_is_not_loaded_for_the_few_tokens_that_all_chats_begin_with(
    tiny_main: Path, tmp_path: Path
) -> None:
    session(tiny_main, tmp_path, request("the quick brown fox jumps over the lazy dog " * 8, max_tokens=2))
    scheduler = opened(tiny_main, tmp_path)
    [client] = run(scheduler, request("lazy dog", max_tokens=2, conversation="other"))
    assert client.finished.stats.cached_tokens == 0
    assert scheduler.prefix_cache.usage.conversations == 1
    scheduler.close()


def test_the_least_recently_used_turn_is_evicted_first(tiny_main: Path, tmp_path: Path) -> None:
    names = ("first", "second", "third")
    asked = {name: request(name, max_tokens=1, conversation=name) for name in names}
    for name in names[:2]:
        session(tiny_main, tmp_path, asked[name])
    session(tiny_main, tmp_path, asked["first"])
    size = max(file.stat().st_size for file in tmp_path.glob("*.safetensors"))
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=tmp_path, prefix_folder_bytes=int(size * 2.5)))
    load_models(scheduler, tiny_main, None)
    run(scheduler, asked["third"])
    scheduler.close()
    kept = {json.loads(entry.read_text())["name"] for entry in tmp_path.glob("*.json")}
    assert kept == {"first", "third"}


@pytest.mark.expects_log
@pytest.mark.parametrize("trouble", ["no room left", "a write that fails"])
def test_a_full_disk_keeps_nothing_and_leaves_nothing(
    tiny_main: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, trouble: str
) -> None:
    def fail(file: Path, _content: object) -> None:
        file.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    if trouble == "no room left":
        usage = shutil.disk_usage(tmp_path)._replace(free=1000)
        monkeypatch.setattr(prefix_store.shutil, "disk_usage", lambda _: usage)
    else:
        monkeypatch.setattr(prefix_store, "_save", fail)
    assert session(tiny_main, tmp_path, request(max_tokens=2)).reason == "length"
    assert files(tmp_path) == set()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
