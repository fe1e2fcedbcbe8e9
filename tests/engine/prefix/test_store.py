"""A chat of an earlier session is not prefilled again; damaged and foreign files are ignored."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.events import Finished
from engine.main_model.loading import load
from engine.prefix import store as prefix_store
from engine.prefix.files import publish
from engine.prefix.store import MOST_FAILURES, PrefixStore, read_entry
from engine.requests import ChatRequest
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.serving_requests import (
    DEPTH,
    Client,
    ask_for_words,
    assistant_turn,
    load_models,
    open_scheduler,
    run,
    submit,
    user,
    worded_request,
)
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


def opened(model: Path, store: Path, draft: Path | None = None) -> AbstractContextManager[Scheduler]:
    return open_scheduler(model, draft, prefix_cache_folder=store)


def session(model: Path, store: Path, asked: ChatRequest) -> Finished:
    """Load the model, ask once, unload it."""
    with opened(model, store) as scheduler:
        return run(scheduler, asked)[0].finished


def request(text: str = "the quick brown fox", max_tokens: int = 40, conversation: str = "chat") -> ChatRequest:
    return replace(unnamed(text, max_tokens=max_tokens), conversation=conversation)


def ask(scheduler: Scheduler, *messages: dict[str, str], conversation: str = "chat") -> Finished:
    return ask_for_words(scheduler, *messages, conversation=conversation)


OPENING = user("the quick brown fox")


def test_the_next_session_prefills_only_what_is_new(model: Path, draft: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with opened(model, store, draft) as before:
        first = ask(before, OPENING)
    known = first.stats.prompt_tokens + len(first.ids) - 1
    with opened(model, store, draft) as later:
        again = ask(later, OPENING)
        assert again.ids == first.ids
        assert again.stats.cached_tokens == again.stats.prompt_tokens - 1
        # The draft model reads no more than the tokens of plain rounds.
        assert again.stats.draft_prefill_tokens <= 6
        turns = (OPENING, assistant_turn(first), user("and then"))
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
    with opened(model, store, draft) as before:
        first = ask(before, OPENING)
    turns = (OPENING, assistant_turn(first), user("and then"))
    with opened(model, store, other) as later:
        second = ask(later, *turns)
    assert second.stats.cached_tokens == first.stats.prompt_tokens + len(first.ids) - 1
    assert second.stats.draft_prefill_tokens >= first.stats.prompt_tokens
    assert len(files(store)) == 1
    with opened(model, store) as alone:
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
        with opened(tiny_main, store):
            pass
        assert [path.name for path in (store, *store.iterdir()) if path.stat().st_mode & 0o077] == []
    finally:
        os.umask(umask)


def test_clearing_clears_the_disk_too(tiny_main: Path, tmp_path: Path) -> None:
    session(tiny_main, tmp_path, request("fox", max_tokens=2))
    with opened(tiny_main, tmp_path) as scheduler:
        assert scheduler.status.prefix_cache.stored > 0
        scheduler.clear_prefix_cache()
        assert scheduler.status.prefix_cache.stored == 0
        assert list(tmp_path.iterdir()) == []
        [client] = run(scheduler, request("fox", max_tokens=2))
        assert client.finished.stats.cached_tokens == 0


def rewrite(folder: Path, change: Callable[[dict[str, mx.array], dict[str, Any]], None]) -> None:
    """Change the only file of a folder, with a right checksum."""
    [file] = folder.iterdir()
    arrays, metadata = mx.load(str(file), return_metadata=True)
    entry = json.loads(metadata["entry"])
    change(arrays, entry)
    mx.save_safetensors(str(file), arrays, {**metadata, "entry": json.dumps(entry)})
    publish(file, entry["name"])


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-50] ^= 1
    file.write_bytes(content)


def _empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("damage", [_cut, _flip, _empty, Path.unlink])
def test_a_damaged_file_is_ignored(tiny_main: Path, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    asked = request(max_tokens=1)
    first = session(tiny_main, tmp_path, asked)
    [file] = tmp_path.iterdir()
    damage(file)
    again = session(tiny_main, tmp_path, asked)
    assert again.ids == first.ids
    assert again.stats.cached_tokens == 0


def _fails_to_open(patch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **_options: Any) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    patch.setattr(Path, "open", refused)


def _fails_to_read(patch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    patch.setattr(os, "preadv", failing)


def _lacks_memory(patch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise RuntimeError("[malloc] Unable to allocate 9 bytes.")

    patch.setattr(prefix_store, "_read", refused)


@pytest.mark.full
@pytest.mark.parametrize("fault", [_fails_to_open, _fails_to_read, _lacks_memory])
def test_a_turn_that_cannot_be_read_for_once_is_found_by_the_next_prompt(
    tiny_main: Path, tmp_path: Path, fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    session(tiny_main, tmp_path, request())
    [file] = tmp_path.iterdir()
    text = [*read_entry(file)["main"]["tokens"], 0]

    def opened_anew() -> PrefixStore:
        return PrefixStore(tmp_path, load(tiny_main), 2**30)

    def finds(stored: PrefixStore, *, fails: bool = False) -> bool:
        with monkeypatch.context() as patch:
            if fails:
                fault(patch)
            return stored.find(text, 0) is not None

    stored = opened_anew()
    assert not finds(stored, fails=True)
    assert finds(stored)
    stored = opened_anew()
    assert not any(finds(stored, fails=True) for _ in range(MOST_FAILURES))
    # One that fails again and again is left alone, but only until the next start.
    assert not finds(stored)
    assert finds(opened_anew())


def _fails_to_list(patch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    patch.setattr(os, "listdir", refused)
    patch.setattr(os, "scandir", refused)


@pytest.mark.parametrize("fault", [_fails_to_open, _fails_to_list])
def test_turns_that_cannot_be_read_when_the_store_opens_are_found_by_a_later_prompt(
    tiny_main: Path, tmp_path: Path, fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    session(tiny_main, tmp_path, request())
    [file] = tmp_path.iterdir()
    text = [*read_entry(file)["main"]["tokens"], 0]
    model = load(tiny_main)

    def found_after(failures: int) -> bool:
        """Open the store and ask it while reads fail, `failures` times together, then ask again."""
        with monkeypatch.context() as patch:
            fault(patch)
            stored = PrefixStore(tmp_path, model, 2**30)
            assert not any(stored.find(text, 0) for _ in range(failures - 1))
        return stored.find(text, 0) is not None

    assert found_after(1)
    assert found_after(2)
    assert not found_after(MOST_FAILURES)
    assert files(tmp_path) == {file.name}


@pytest.mark.parametrize("damage", [_cut, _flip])
def test_a_turn_that_is_damaged_is_deleted(tiny_main: Path, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    session(tiny_main, tmp_path, request())
    [file] = tmp_path.iterdir()
    text = [*read_entry(file)["main"]["tokens"], 0]
    stored = PrefixStore(tmp_path, load(tiny_main), 2**30)
    damage(file)
    assert stored.find(text, 0) is None
    assert not files(tmp_path)


@pytest.mark.parametrize("number", ["nan", "inf"])
def test_a_turn_with_a_row_that_is_not_finite_is_ignored(tiny_main: Path, tmp_path: Path, number: str) -> None:
    asked = request(max_tokens=1)
    first = session(tiny_main, tmp_path, asked)
    # As a device that failed without saying so would have let it be written.
    rewrite(tmp_path, lambda arrays, _entry: arrays["0"].__setitem__((0, 0, 0, 0), float(number)))
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
    elif other == "format":
        rewrite(store, lambda _arrays, entry: entry.update(format=99))
    else:
        file = model / "config.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "rope_theta": 500.0}))
    assert session(model, store, asked).stats.cached_tokens == 0


def test_turns_of_a_model_that_was_replaced_while_it_was_loaded_are_not_those_of_the_new_one(
    tiny_main: Path, tmp_path: Path
) -> None:
    model, store, asked = Path(shutil.copytree(tiny_main, tmp_path / "model")), tmp_path / "store", request()
    other = write_model(tmp_path / "other", seed=9)
    with opened(model, store) as scheduler:
        shutil.copy(other / "model.safetensors", model)
        # The folder is opened again, and holds turns by what is in memory.
        scheduler.configure(replace(scheduler.models.settings, prefix_folder_bytes=2**31))
        run(scheduler, asked)
    assert files(store)
    again = session(model, store, asked)
    assert again.stats.cached_tokens == 0
    assert again.ids == session(other, tmp_path / "none", asked).ids


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


def names(folder: Path) -> list[str]:
    """The conversations whose turns are stored."""
    return sorted(read_entry(file)["name"] for file in folder.glob("*.safetensors"))


def test_only_turns_with_a_name_are_stored(tiny_main: Path, tmp_path: Path) -> None:
    with opened(tiny_main, tmp_path) as scheduler:
        run(scheduler, unnamed(max_tokens=4), unnamed("lazy dog", max_tokens=2))
        # It is kept although a longer turn without a name covers it.
        run(scheduler, request(max_tokens=2))
        assert scheduler.prefix_cache.usage.conversations == 3
    assert names(tmp_path) == ["chat"]


def test_what_chats_begin_with_is_read_and_stored_once_and_outlives_them(
    model: Path, draft: Path, tmp_path: Path
) -> None:
    book = {"role": "system", "content": "the quick brown fox jumps over the lazy dog " * 12}
    with opened(model, tmp_path / "store", draft) as scheduler:
        length = len(scheduler.models.main.tokenizer.apply_chat_template([book]))
        first = ask(scheduler, book, user("fox"), conversation="first")
        [kept] = run(scheduler, replace(worded_request(scheduler, book, user("."), conversation="book"), shared=True))
        assert first.stats.cached_tokens == 0
        assert kept.finished.stats.cached_tokens >= length
        long = ask(scheduler, book, user("lazy dog " * 80), conversation="long")
        scheduler.changes.stores.forget_conversations(["first"])
        second = ask(scheduler, book, user("dog"), conversation="second")
        assert min(long.stats.cached_tokens, second.stats.cached_tokens) >= length
    # A chat that says more than its beginning has caches of its own.
    assert names(tmp_path / "store") == ["book", "long"]
    with opened(model, tmp_path / "store", draft) as later:
        again = ask(later, book, user("dog"), conversation="third")
        assert (again.ids, again.stats.cached_tokens >= length) == (second.ids, True)
        later.clear_prefix_cache()
        assert ask(later, book, user("dog")).ids == second.ids


def test_a_forgotten_conversation_leaves_nothing(tiny_main: Path, tmp_path: Path) -> None:
    with opened(tiny_main, tmp_path) as scheduler:
        asked = request(max_tokens=2), request("lazy dog", max_tokens=2, conversation="other")
        run(scheduler, *asked)
        scheduler.prefix_cache.save()
        before = files(tmp_path)
        scheduler.changes.stores.forget_conversations(["chat"])
        assert len(files(tmp_path)) == 1 < len(before)
        assert scheduler.prefix_cache.usage.conversations == 1
        [forgotten, kept] = run(scheduler, replace(asked[0], conversation="new"), asked[1])
        # All chats begin alike.
        assert forgotten.finished.stats.cached_tokens < 8
        assert kept.finished.stats.cached_tokens == kept.finished.stats.prompt_tokens - 1


def test_a_conversation_that_cannot_be_deleted_is_deleted_after_the_next_answer(
    tiny_main: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tiny_main, tmp_path) as scheduler:
        run(scheduler, request(max_tokens=2))
        scheduler.prefix_cache.save()
        with monkeypatch.context() as patch:
            _fails_to_list(patch)
            scheduler.changes.stores.forget_conversations(["chat"])
        caplog.clear()
        assert len(files(tmp_path)) == 1
        run(scheduler, unnamed("lazy dog", max_tokens=2))
        assert files(tmp_path) == set()


def test_without_its_folder_the_store_is_emptied_and_answers_stay_indexed(
    tiny_main: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folders = {"prefix_cache_folder": tmp_path / "turns", "answer_index_folder": tmp_path / "answers"}
    with open_scheduler(tiny_main, **folders) as scheduler:
        run(scheduler, request())
        scheduler.prefix_cache.save()
        with monkeypatch.context() as patch:
            _fails_to_list(patch)
            scheduler.configure(replace(scheduler.settings, prefix_cache_folder=None))
        caplog.clear()
        assert len(files(tmp_path / "turns")) == 1
        run(scheduler, unnamed("lazy dog", max_tokens=2))
        assert files(tmp_path / "turns") == set()
        assert scheduler.models.drafting.answers.usage().result().tokens > 0


@pytest.mark.parametrize("loaded", [True, False])
def test_forgetting_covers_the_caches_of_all_models(tiny_main: Path, tmp_path: Path, loaded: bool) -> None:
    store, other = tmp_path / "store", Path(shutil.copytree(tiny_main, tmp_path / "other"))
    for main in (tiny_main, other):
        session(main, store, request(max_tokens=2))
    assert len(files(store)) == 2
    with open_scheduler(prefix_cache_folder=store) as scheduler:
        if loaded:
            load_models(scheduler, tiny_main, None)
        scheduler.changes.stores.forget_conversations(["chat"])
        assert files(store) == set()


def test_what_is_forgotten_while_it_is_answered_is_not_kept(tiny_main: Path, tmp_path: Path) -> None:
    with opened(tiny_main, tmp_path) as scheduler:
        client: Client = submit(scheduler, request(max_tokens=8))
        scheduler.step()
        scheduler.changes.stores.forget_conversations(["chat"])
        while scheduler.busy:
            scheduler.step()
        assert client.finished.reason == "length"
        assert scheduler.prefix_cache.usage.conversations == 0
    assert files(tmp_path) == set()


def test_only_known_conversations_stay_on_the_disk(tiny_main: Path, tmp_path: Path) -> None:
    for name in ("chat", "other"):
        session(tiny_main, tmp_path, request(name, max_tokens=2, conversation=name))
    (tmp_path / "nobody-0.json").write_text("of an earlier version")
    (tmp_path / "nobody-0.safetensors").write_bytes(b"its data")
    (tmp_path / "nobody-0.partial.safetensors").write_bytes(b"half a file")
    (tmp_path / "notes.txt").write_text("not ours")
    with opened(tiny_main, tmp_path) as scheduler:
        scheduler.changes.stores.keep_stored(["other"])
        assert names(tmp_path) == ["other"]
        assert len(files(tmp_path)) == 2
        [known] = run(scheduler, request("other", max_tokens=2, conversation="other"))
        assert known.finished.stats.cached_tokens > 0


@pytest.mark.full
def test_a_long_chat_is_not_loaded_for_the_few_tokens_that_all_chats_begin_with(
    tiny_main: Path, tmp_path: Path
) -> None:
    session(tiny_main, tmp_path, request("the quick brown fox jumps over the lazy dog " * 8, max_tokens=2))
    with opened(tiny_main, tmp_path) as scheduler:
        [client] = run(scheduler, request("lazy dog", max_tokens=2, conversation="other"))
        assert client.finished.stats.cached_tokens == 0
        assert scheduler.prefix_cache.usage.conversations == 1


def test_the_least_recently_used_turn_is_evicted_first(tiny_main: Path, tmp_path: Path) -> None:
    chats = ("first", "second", "third")
    asked = {name: request(name, max_tokens=1, conversation=name) for name in chats}
    for name in chats[:2]:
        session(tiny_main, tmp_path, asked[name])
    session(tiny_main, tmp_path, asked["first"])
    size = max(file.stat().st_size for file in tmp_path.glob("*.safetensors"))
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=tmp_path, prefix_folder_bytes=int(size * 2.5)))
    load_models(scheduler, tiny_main, None)
    run(scheduler, asked["third"])
    scheduler.close()
    assert names(tmp_path) == ["first", "third"]


@pytest.mark.expects_log
@pytest.mark.parametrize("trouble", ["no room left", "a write that fails"])
def test_a_full_disk_keeps_nothing_and_leaves_nothing(
    tiny_main: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, trouble: str
) -> None:
    def fail(file: Path, *_content: object) -> None:
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
