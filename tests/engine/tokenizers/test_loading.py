"""Tokenizers are built as their makers meant them, and libraries say nothing on the terminal."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ModelNotUsable
from engine.files.disk_pool import DiskPool
from engine.sandbox.errors import LimitExceeded
from engine.tokenizers import loading
from engine.tokenizers.loading import PROMPT_PROCESS, keep_accepted, make_tokenizer
from engine.tokenizers.prompt_process import PromptProcess
from engine.tokenizers.prompts import PromptJob
from tests.engine.tokenizers.mistral_text import OF_LLAMA, pieces
from tests.patience import PATIENCE_S


def write_folder(folder: Path, control: tuple[str, ...], **config: Any) -> Path:
    """Write a folder with a vocabulary as large as those that transformers looks at, which knows the words of `TEXT`.

    Its first tokens are `control`.
    """
    tokens = [*control, *"'The", "he", "The", "'T", *(f"<{number}>" for number in range(100_000))]
    split = {"type": "Split", "pattern": {"Regex": OF_LLAMA}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    merges = [["h", "e"], ["T", "he"], ["'", "T"]]
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    content = {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None,
        "added_tokens": [{"id": index, "content": token, **special} for index, token in enumerate(control)],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]}, "decoder": level,
        "model": {"type": "BPE", "vocab": {token: index for index, token in enumerate(tokens)}, "merges": merges},
    }  # fmt: skip
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(content))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    (folder / "config.json").write_text(json.dumps({"model_type": "mistral", **config}))
    return folder


TEKKEN = ("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]")


@pytest.mark.parametrize(
    ("control", "config", "expected"),
    [
        (TEKKEN, {"transformers_version": "4.52.4"}, ["'", "The", "'"]),
        # transformers 5 writes the right rule itself.
        pytest.param(TEKKEN, {"transformers_version": "5.1.0"}, ["'T", "he", "'"], marks=pytest.mark.full),
        # A Mistral with another vocabulary, of which nobody knows better than its file; transformers warns.
        pytest.param(("<s>",), {}, ["'T", "he", "'"], marks=[pytest.mark.expects_log, pytest.mark.full]),
    ],
    ids=["a conversion", "a newer one", "another vocabulary"],
)
def test_mistrals_vocabulary_splits_text_by_mistrals_rule(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], control: tuple[str, ...], config: dict[str, Any], expected: Any
) -> None:
    assert pieces(write_folder(tmp_path / "mistral", control, **config)) == expected
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def strangers(tiny_main: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that this engine has not seen; what the prompt process has accepted is kept in `tmp_path`."""
    monkeypatch.setattr(PROMPT_PROCESS, "accepted", PROMPT_PROCESS.accepted)
    keep_accepted(tmp_path / "learned.json")
    return Path(shutil.copytree(tiny_main, tmp_path / "strangers"))


def built_here_first(monkeypatch: pytest.MonkeyPatch, strangers: Path, within_s: float = 0.2) -> bool:
    """Make a tokenizer; return whether it is built here before a prompt process that takes `within_s` has built it."""
    here, real = threading.Event(), loading.load_tokenizer
    before: list[bool] = []

    def build(_process: PromptProcess, *_: object) -> None:
        before.append(here.wait(within_s))

    def load_tokenizer(*arguments: Any, **options: Any) -> Any:
        here.set()
        return real(*arguments, **options)

    with monkeypatch.context() as patch, DiskPool() as disk:
        patch.setattr(PromptProcess, "build", build)
        patch.setattr(loading, "load_tokenizer", load_tokenizer)
        make_tokenizer(strangers, disk)
    return before == [True]


def test_only_a_tokenizer_that_the_prompt_process_has_built_before_is_built_here_beside_it(
    strangers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not built_here_first(monkeypatch, strangers)
    # The next start reads what was kept.
    keep_accepted(tmp_path / "learned.json")
    assert built_here_first(monkeypatch, strangers, within_s=PATIENCE_S)
    (strangers / "added_tokens.json").write_text("{}")
    assert not built_here_first(monkeypatch, strangers)


def test_a_tokenizer_that_the_prompt_process_refuses_is_not_used_although_it_built_it_before(
    strangers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built_here_first(monkeypatch, strangers)

    def refuse(*_: object) -> None:
        raise LimitExceeded("too-large")

    monkeypatch.setattr(PromptProcess, "build", refuse)
    with DiskPool() as disk, pytest.raises(ModelNotUsable) as caught:
        make_tokenizer(strangers, disk)
    assert caught.value.reason == "beyond-limits"


def test_a_tokenizer_that_was_refused_is_not_accepted(strangers: Path) -> None:
    (strangers / "tokenizer.json").write_text('{"model": 1}')
    with DiskPool() as disk, pytest.raises(ModelNotUsable):
        make_tokenizer(strangers, disk)
    assert not PROMPT_PROCESS.accepted.values


def exchange_ids(folder: Path) -> None:
    """Give two letters each other's ids, as a newer version of a vocabulary may."""
    content = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = content["model"]["vocab"]
    vocabulary["q"], vocabulary["z"] = vocabulary["z"], vocabulary["q"]
    (folder / "tokenizer.json").write_text(json.dumps(content))


@pytest.mark.parametrize("built_before", [False, True])
def test_a_vocabulary_that_changes_between_its_two_tokenizers_is_refused(
    strangers: Path, monkeypatch: pytest.MonkeyPatch, built_before: bool
) -> None:
    """The prompt process would write other ids than the engine reads."""
    real = loading.load_tokenizer

    def change_and_load(*arguments: Any, **options: Any) -> Any:
        exchange_ids(strangers)
        return real(*arguments, **options)

    if built_before:
        built_here_first(monkeypatch, strangers)
    monkeypatch.setattr(loading, "load_tokenizer", change_and_load)
    with DiskPool() as disk, pytest.raises(ModelNotUsable, match="changed meanwhile"):
        make_tokenizer(strangers, disk)


@pytest.mark.parametrize("built_before", [False, True])
def test_a_vocabulary_of_which_half_was_written_when_it_was_read_is_said_to_have_changed(
    strangers: Path, monkeypatch: pytest.MonkeyPatch, built_before: bool
) -> None:
    """It is not said to be no tokenizer: it will be one when whoever writes it has ended."""
    real = PromptProcess.build

    def build_of_half(process: PromptProcess, *arguments: Any) -> None:
        path = strangers / "tokenizer.json"
        path.write_bytes(path.read_bytes()[:1000])
        real(process, *arguments)

    if built_before:
        built_here_first(monkeypatch, strangers)
    monkeypatch.setattr(PromptProcess, "build", build_of_half)
    with DiskPool() as disk, pytest.raises(ModelNotUsable, match=r"tokenizer\.json \(changed meanwhile\)"):
        make_tokenizer(strangers, disk)


@pytest.mark.full
def test_a_prompt_process_that_is_started_again_reads_no_other_vocabulary(strangers: Path) -> None:
    job = PromptJob([{"role": "user", "content": "the quick brown fox"}], limit=512)
    with DiskPool() as disk:
        source = make_tokenizer(strangers, disk).source
    assert source is not None
    PROMPT_PROCESS.end()
    expected = PROMPT_PROCESS.start_prompt(source, job).result(PATIENCE_S)
    exchange_ids(strangers)
    # Nothing is read again while the process lives.
    assert PROMPT_PROCESS.start_prompt(source, job).result(PATIENCE_S) == expected
    PROMPT_PROCESS.end()
    with pytest.raises(ModelNotUsable, match=r"tokenizer\.json \(changed meanwhile\)"):
        PROMPT_PROCESS.start_prompt(source, job).result(PATIENCE_S)
