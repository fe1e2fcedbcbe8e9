"""Every error code of the engine, the Hub and a cluster has a sentence in every language."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine.errors as errors
from app.conversations.database.errors import StoreNotWritable
from app.conversations.database.records import AnswerSource
from app.conversations.opening import open_store
from app.session.chats import RecordedError, stored_answer
from app.settings.relocation import MoveRefused
from app.system.language import LANGUAGES
from app.widgets.application import Application
from app.wording import errors as wording
from app.wording.cluster import CLUSTER_REASONS
from app.wording.errors import error_sentence
from app.wording.hub import HUB_REASONS, refused_sentence
from app.wording.machines import together_sentence
from engine.computers.errors import ClusterError
from engine.errors import (
    BadRequest,
    CannotTeach,
    DeviceFailed,
    EngineError,
    FileRefused,
    GrammarNotUsable,
    InternalFailure,
    ModelCannotSee,
    ModelNotUsable,
    NotEnoughMemory,
    PictureNotUsable,
    PromptTooLong,
    QueueFull,
    TemplateFailed,
    as_engine_error,
)
from engine.hub.failures import HubError
from engine.sandbox.errors import SandboxCrashed
from engine.stats import PlainSpan

EXAMPLES = {
    EngineError: lambda: EngineError("broken"),
    BadRequest: lambda: BadRequest("temperature", "between 0 and 5", 11),
    PromptTooLong: lambda: PromptTooLong(5000, 4096),
    TemplateFailed: lambda: TemplateFailed("roles must alternate"),
    QueueFull: lambda: QueueFull(8),
    NotEnoughMemory: lambda: NotEnoughMemory(
        "Qwen3-8B", 9 * 10**9, 8 * 10**9, 8192, 2048, kv_bits=8, draft_bytes=10**9
    ),
    DeviceFailed: lambda: DeviceFailed("out of memory"),
    InternalFailure: lambda: InternalFailure("out of luck"),
    FileRefused: lambda: FileRefused("forbidden", "/Users/me/.cache"),
    GrammarNotUsable: lambda: GrammarNotUsable("invalid", "unknown name"),
    CannotTeach: lambda: CannotTeach("too-little", "12%"),
    PictureNotUsable: lambda: PictureNotUsable("animated"),
    ModelCannotSee: lambda: ModelCannotSee("Qwen3-8B"),
}


def subclasses(kind: type[EngineError]) -> Iterator[type[EngineError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from subclasses(child)


def every_error() -> list[EngineError]:
    found = [EXAMPLES.get(kind, kind)() for kind in subclasses(EngineError) if kind is not ModelNotUsable]
    found += [GrammarNotUsable(reason, "3") for reason in GrammarNotUsable.REASONS]
    found += [TemplateFailed("3", reason) for reason in TemplateFailed.REASONS]
    found += [CannotTeach(reason, "3") for reason in CannotTeach.REASONS]
    found += [PictureNotUsable(reason, "3") for reason in PictureNotUsable.REASONS]
    found += [FileRefused(reason, "/Users/me/.cache") for reason in FileRefused.REASONS]
    found += [ModelCannotSee("Qwen3-8B", "cluster")]
    found += [DeviceFailed("out of memory", unloaded="Qwen3-8B")]
    return found + [ModelNotUsable("models/some-model", reason, "detail.bin") for reason in ModelNotUsable.REASONS]


def plain_codes() -> list[str]:
    """Return the codes that the engine documents for a plain span."""
    text = (PlainSpan.__doc__ or "").split("Codes:")[1]
    return re.findall(r'"([a-z-]+)"', text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_has_a_sentence_without_a_placeholder_left(qapp: Application, language: str) -> None:
    qapp.language.choose(language)
    for error in every_error():
        sentence = wording.error_sentence(error)
        assert sentence, error.code
        assert "{" not in sentence
        assert sentence != str(error)
    for reason in ModelNotUsable.REASONS:
        span = PlainSpan(3, "draft-not-usable", (("reason", reason),))
        assert wording.reason_sentence(reason) in wording.plain_sentence(span)
    assert len(plain_codes()) >= 10
    for code in plain_codes():
        sentence = wording.plain_sentence(PlainSpan(3, code))
        assert sentence, code
        assert "{" not in sentence


@pytest.mark.parametrize(
    "path", ["some/where/Qwen3-8B-4bit", "hub/models--mlx-community--Qwen3-8B-4bit/snapshots/5a7d0f", "Qwen3-8B-4bit"]
)
def test_an_error_names_the_model_as_the_rest_of_the_window_does(path: str) -> None:
    sentence = wording.error_sentence(ModelNotUsable(path, "incomplete", "model.safetensors"))
    assert sentence.startswith("Qwen3 8B cannot be used. One of its files is missing (model.safetensors). Download")
    room = NotEnoughMemory("mlx-community/Qwen3-8B-4bit", 9, 8, 8192, 0)
    assert wording.error_sentence(room).startswith("Qwen3 8B needs")


def test_what_ends_a_process_is_shown_without_its_code() -> None:
    ended = SandboxCrashed("exit code -9")
    errors = (
        TemplateFailed(str(ended), ended.reason),
        ended.of_model("a.gguf", "damaged", str(ended)),
        PictureNotUsable("crashed", str(ended)),
    )
    assert not [error for error in errors if re.search("crashed|code", wording.error_sentence(error))]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EACCES, "/Users/me/.cache/Tandem cannot be read or written to. Check its permissions"),
        (errno.EPERM, "/Users/me/.cache/Tandem cannot be read or written to. Check its permissions"),
        (errno.EROFS, "/Users/me/.cache/Tandem cannot be written to, because its disk is read-only"),
        (errno.ENOSPC, "/Users/me/.cache/Tandem cannot be written to, because the disk is full. Free up space"),
        (errno.EDQUOT, "because the disk is full"),
    ],
)
@pytest.mark.expects_log
def test_a_file_that_the_system_refuses_is_named_with_what_to_do(number: int, words: str) -> None:
    error = as_engine_error(OSError(number, os.strerror(number), "/Users/me/.cache/Tandem"))
    assert words in wording.error_sentence(error)
    # Nothing is known of a failure without a file.
    assert isinstance(as_engine_error(OSError(number, "failed")), InternalFailure)


def test_braces_in_an_error_are_shown() -> None:
    assert "{% if %}" in wording.error_sentence(TemplateFailed("{% if %}"))
    assert wording.error_sentence(ModelNotUsable("/{second}", "missing")).startswith("{second} cannot be used. Its")


@pytest.mark.usefixtures("qapp")
def test_too_little_memory_says_what_would_fit() -> None:
    sentence = wording.error_sentence(EXAMPLES[NotEnoughMemory]())
    assert "2,048 tokens" in sentence
    assert "8-bit KV cache" in sentence
    assert "up to 1.0 GB would fit" in sentence
    plain = wording.error_sentence(NotEnoughMemory("Qwen3-8B", 9 * 10**9, 8 * 10**9, 8192, 0))
    assert "fits" not in plain


@pytest.mark.parametrize(
    ("language", "between"), [("en", ". It"), ("ko", "요. KV"), ("ja", "。KV"), ("zh_CN", "。在“设置")]
)
def test_sentences_are_joined_as_the_language_joins_them(qapp: Application, language: str, between: str) -> None:
    qapp.language.choose(language)
    assert between in wording.error_sentence(EXAMPLES[NotEnoughMemory]())
    assert wording.joined("A.", "", "B.") == wording.joined("A.", "B.")


@pytest.mark.usefixtures("qapp")
def test_numbers_follow_the_language() -> None:
    assert "5,000" in wording.error_sentence(PromptTooLong(5000, 4096))


def test_an_error_that_was_recorded_reads_as_when_it_happened(tmp_path: Path) -> None:
    store, _ = open_store(tmp_path / "chats.db")
    for error in every_error():
        chat = store.conversations.create()
        answer = store.answers.start(store.messages.add_user_turn(chat, "Hello?"), AnswerSource())
        store.answers.finish(answer, None, None, error=(error.code, error.arguments))
        recorded = stored_answer(store.messages.get(answer)).error
        assert recorded is not None
        assert wording.error_sentence(recorded) == wording.error_sentence(error)
    store.close()


@pytest.mark.parametrize("code", ["not-enough-memory", "prompt-too-long", "model-not-usable", "hub", "unheard-of"])
def test_an_error_that_another_app_recorded_has_a_sentence(code: str) -> None:
    for arguments in ({}, {"reason": "unheard-of", "message": "x", "tokens": "many", "needed": None}):
        assert wording.error_sentence(RecordedError(code, arguments))


def test_a_reason_for_plain_decoding_of_another_version_is_passed_over() -> None:
    assert wording.plain_sentence(PlainSpan(3, "unheard-of", (("{x}", "{y}"),))) == ""
    odd = (("plain_ms", 10.0), ("round_ms", 25.0), ("tokens_per_round", "many"))
    assert wording.plain_sentence(PlainSpan(3, "costs-more", odd))


@pytest.mark.parametrize(
    ("reason", "ending"), [("not-enough-memory", "enough memory for it."), ("cluster", "main model."), ("", "model.")]
)
def test_no_code_of_a_draft_model_that_cannot_be_used_is_shown(reason: str, ending: str) -> None:
    assert wording.plain_sentence(PlainSpan(3, "draft-not-usable", (("reason", reason),))).endswith(ending)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
        (StoreNotWritable("full", "database or disk is full"), "the disk is full"),
        (OSError(errno.EROFS, "Read-only file system"), "does not allow it"),
        (StoreNotWritable("read-only", "attempt to write a readonly database"), "does not allow it"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
    ],
)
def test_why_the_chats_cannot_be_opened_is_said(error: Exception, words: str) -> None:
    assert words in wording.closed_store_sentence(error)


def test_a_folder_that_forbids_everything_is_told_from_a_broken_disk(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError) as raised:
        sqlite3.connect(tmp_path / "nowhere" / "chats.db")
    assert "does not allow it" in wording.closed_store_sentence(raised.value)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("free", "needed", "shown"),
    [
        (4_655_000_000, 4_660_000_000, ("4.6\u00a0GB", "4.7\u00a0GB")),
        (999_999_999, 10**9, ("999\u00a0MB", "1.0\u00a0GB")),
        (1_999_999_999_999, 2 * 10**12, ("1.9\u00a0TB", "2.0\u00a0TB")),
    ],
)
def test_too_little_space_never_reads_as_enough(
    qapp: Application, language: str, free: int, needed: int, shown: tuple[str, str]
) -> None:
    qapp.language.choose(language)
    said = error_sentence(HubError("no-space", "org/model", needed=needed, free=free))
    moved = refused_sentence(MoveRefused("no-space", needed=needed, free=free))
    assert all(figure in sentence for figure in shown for sentence in (said, moved))


@pytest.mark.parametrize("reason", HubError.REASONS)
def test_every_failure_of_the_hub_is_a_sentence(reason: str) -> None:
    arguments = {"endpoint": "http://mirror", "revision": "v2", "file": "a.json", "status": 503, "path": "somewhere"}
    arguments |= {"family": "llama", "app": "LM Studio"}
    error = HubError(reason, "org/model", **arguments, needed=5_000_000_000, free=1_000_000_000)
    sentence = error_sentence(error)
    assert "{" not in sentence
    assert sentence.endswith(".")
    assert set(HUB_REASONS) == set(HubError.REASONS)


def test_every_reason_has_a_sentence_that_names_the_machine_wherever_it_is_known() -> None:
    assert set(CLUSTER_REASONS) == set(ClusterError.REASONS)
    for reason, plain in CLUSTER_REASONS.items():
        sentence = error_sentence(ClusterError(reason, "studio.local", "some detail"))
        assert ("studio.local" in sentence) == ("{host}" in plain)
        assert ("some detail" in sentence) == ("{detail}" in plain)
        assert "{" not in sentence
        unknown = error_sentence(ClusterError(reason, detail="some detail"))
        assert ("One of the computers" in unknown) == ("{host}" in plain)


@pytest.mark.parametrize(
    ("language", "joined"), [("zh_CN", "、studio 和 mini"), ("ja", "、studio、mini"), ("en", ", studio")]
)
def test_names_are_joined_as_each_language_writes_them(qapp: Application, language: str, joined: str) -> None:
    qapp.language.choose(language)
    assert joined in together_sentence(["127.0.0.1", "studio", "mini"])
