"""`tandem models` against a fake Hub: what it prints, its exit codes, and that no traceback reaches anybody."""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub import constants

from app.cli import downloads as terminal_downloads
from app.cli import models as terminal_models
from app.cli.pair_options import is_named
from app.conversations.database.records import AnswerSource
from app.conversations.measured import PairSpeeds
from app.conversations.opening import open_store
from app.conversations.store import ConversationStore
from app.settings.store import SettingsStore
from app.system.paths import data_folder, settings_folder, speeds_file
from engine.files.paths import resources
from engine.finding.discovery import installed_models
from engine.stats import RequestStats
from tests.engine.model_files.model_folders import (
    llama_config,
    model_files,
    tokenizer_json,
    write_folder,
    write_snapshot,
)
from tests.fakehub.server import FakeHub
from tests.patience import PATIENCE_S
from tests.tiny_gguf import write_gguf

Run = Callable[..., int]


@pytest.fixture
def run(hub: FakeHub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command with its own cache and Hub, without the starter pair, on a machine with memory for the pairs."""
    monkeypatch.setattr("app.api.engine_host.resources", lambda: cache / "no-starter")
    memory = SimpleNamespace(total=64 * 2**30, available=60 * 2**30)
    monkeypatch.setattr("psutil.virtual_memory", lambda: memory)

    def command(*words: str) -> int:
        parser = argparse.ArgumentParser()
        terminal_models.add_parser(parser.add_subparsers())
        action, *rest = words
        common = ["--cache", str(cache), "--endpoint", hub.endpoint]
        return terminal_models.run(parser.parse_args(["models", action, *common, *rest]))

    return command


def objects(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_list_shows_what_is_here_and_what_it_is_good_for(
    run: Run, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_snapshot(cache, "org/model", model_files())
    broken = model_files()
    del broken["model.safetensors"]
    write_snapshot(cache, "org/partial", broken)
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["MODEL", "ON", "DISK", "PARAMETERS", "BITS", "CONTEXT", "USE"]
    assert lines[1].startswith("org/model")
    assert lines[1].endswith("main or draft")
    assert lines[2].endswith("One of its files is missing (model.safetensors)")
    assert run("list", "--json") == 0
    model, _partial = objects(capsys)
    assert (model["event"], model["id"], model["kinds"]) == ("model", "org/model", ["main", "draft"])


def test_models_of_other_apps_are_listed_with_their_names(
    run: Run, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder(own_home / ".lmstudio/models/org/model", model_files())
    assert run("list") == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("main or draft (LM Studio)")
    assert run("remove", "org/model", "--yes") == 1
    assert capsys.readouterr().err == "tandem: This model belongs to LM Studio. Delete it there.\n"
    assert folder.exists()


def test_list_tells_models_of_one_name_apart(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are in folders of the window."""
    folders = [write_folder(tmp_path / place / "gemma3", model_files()) for place in ("mine", "yours")]
    write_folder(tmp_path / "mine/other", model_files())
    added = tuple(str(folder.parent) for folder in folders)
    SettingsStore(settings_folder() / "settings.json").change(model_folders=(*added, str(tmp_path / "unplugged")))
    assert run("list") == 0
    said = capsys.readouterr()
    names = [line.split("  ")[0] for line in said.out.splitlines()[1:]]
    assert sorted(names) == sorted([*(f"gemma3 ({folder})" for folder in folders), "other"])
    assert said.err == f"tandem: not connected: {tmp_path / 'unplugged'}\n"


def test_search_names_size_licence_and_consent(run: Run, hub: FakeHub, capsys: pytest.CaptureFixture[str]) -> None:
    hub.add("org/wanted", model_files(), gated=True)
    assert run("search", "wanted") == 0
    assert "gated" in capsys.readouterr().out
    assert run("search", "wanted", "--json") == 0
    (found,) = objects(capsys)
    assert (found["event"], found["id"], found["gated"]) == ("found", "org/wanted", True)
    assert (found["licence"], found["bytes"]) == ("apache-2.0", sum(map(len, model_files().values())))
    with pytest.raises(SystemExit) as stop:
        run("search", "qwen", "--limit", "0")
    assert stop.value.code == 2
    assert "a number above 0" in capsys.readouterr().err


def test_download_ends_with_the_folder_and_exit_code_0(
    run: Run, hub: FakeHub, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def look_again(seconds: float) -> None:
        hub.bytes_a_second = None
        time.sleep(seconds)

    hub.add("org/model", model_files())
    # It cannot be over before the first look at it.
    hub.bytes_a_second = 100
    monkeypatch.setattr(terminal_downloads, "time", SimpleNamespace(sleep=look_again))
    assert run("download", "https://huggingface.co/org/model") == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"org/model is ready: {cache}")
    assert "org/model: " in err


def test_download_with_draft_brings_both(run: Run, hub: FakeHub, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mlx-community/Qwen3-8B-4bit", "mlx-community/Qwen3-0.6B-4bit"):
        hub.add(name, model_files())
    assert run("download", "mlx-community/Qwen3-8B-4bit", "--with-draft", "--json") == 0
    ready = [item["id"] for item in objects(capsys) if item["event"] == "ready"]
    assert sorted(ready) == ["mlx-community/Qwen3-0.6B-4bit", "mlx-community/Qwen3-8B-4bit"]


def test_a_download_that_fails_is_one_line_and_exit_code_1(
    run: Run, hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.add("org/model", model_files(), gated=True)
    assert run("download", "org/model") == 1
    err = capsys.readouterr().err.splitlines()
    assert err[-1].startswith("tandem: org/model is gated. Accept the terms")
    # Nothing that the same command could resume.
    assert "resumes" not in err[-1]
    assert not any("Traceback" in line for line in err)


def test_a_bad_name_is_bad_usage(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("download", "not a name") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_part_of_a_name_leads_to_the_search(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("download", "qwen3") == 2
    assert "`tandem models search qwen3`" in capsys.readouterr().err


def test_remove_frees_the_space(run: Run, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("org/model", "org/other"):
        write_snapshot(cache, name, model_files())
    assert run("remove", "org/model", "--yes") == 0
    assert "freed" in capsys.readouterr().out
    assert not (cache / "models--org--model").exists()
    assert run("remove", "org/other", "--yes", "--json") == 0
    (removed,) = objects(capsys)
    assert (removed["event"], removed["id"], removed["freed_bytes"] > 0) == ("removed", "org/other", True)


@pytest.mark.parametrize("added", [True, False], ids=["on the list", "named by --folder"])
def test_remove_deletes_nothing_in_a_folder_of_the_person_s_own(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], added: bool
) -> None:
    folder = write_folder(tmp_path / "mine" / "model", model_files())
    if added:
        SettingsStore(settings_folder() / "settings.json").change(model_folders=(str(tmp_path / "mine"),))
    also = [] if added else ["--folder", str(tmp_path / "mine")]
    assert run("remove", "model", "--yes", *also) == 2
    err = capsys.readouterr().err
    assert str(folder) in err
    assert "never deletes" in err
    assert {path.name for path in folder.iterdir()} == set(model_files())


def test_remove_without_yes_and_without_anybody_to_ask_removes_nothing(
    run: Run, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot = write_snapshot(cache, "org/model", model_files())
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert run("remove", "org/model") == 2
    # On a terminal, the end of the input is no consent.
    monkeypatch.setattr(sys, "stdin", nobody := io.StringIO())
    monkeypatch.setattr(nobody, "isatty", lambda: True, raising=False)
    assert run("remove", "org/model") == 1
    assert "[y/N]" in capsys.readouterr().err
    assert snapshot.exists()


def test_a_reader_that_has_gone_is_no_reason_to_complain(cache: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "app", "models", "list", "--cache", str(cache)]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    try:
        done = subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S, env=buffered
        )
    finally:
        os.close(writing)
    # As shells report a program that a closed pipe has ended.
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


def test_pairs_of_an_installed_model_are_ranked_with_their_reasons(
    run: Run, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_snapshot(cache, "org/main", model_files(llama_config(num_hidden_layers=40)))
    write_snapshot(cache, "org/draft", model_files())
    write_snapshot(cache, "org/foreign", model_files(tokenizer=tokenizer_json({"x": 0})))
    assert run("pairs", "org/main") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("*  org/draft")
    assert lines[1].endswith("Same tokenizer.")
    assert lines[2].startswith("   (lookup)")
    assert lines[3].startswith("   org/foreign")
    assert "Different tokenizer" in lines[3]
    assert "as fast" not in lines[3]


@pytest.fixture
def installed(cache: Path) -> None:
    """A main model and a draft for it."""
    write_snapshot(cache, "org/main", model_files(llama_config(num_hidden_layers=40)))
    write_snapshot(cache, "org/draft", model_files())


def answered(**figures: Any) -> ConversationStore:
    """Return the store of the window's chats, with an answer of the pair that has these figures."""
    store, _damaged = open_store(data_folder() / "chats.db")
    asked = store.messages.add_user_turn(store.conversations.create(), "hello")
    answer = store.answers.start(asked, AnswerSource("org/main", "org/draft", "auto", {}, None))
    store.answers.finish(answer, "stop", RequestStats(decode_tps=50.0, draft="org/draft", **figures), "Hello.")
    return store


@pytest.mark.usefixtures("impatient", "installed")
def test_pairs_show_what_the_window_measured_before_any_estimate(
    run: Run, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_snapshot(cache, "org/better", model_files())
    assert run("pairs", "org/main") == 0
    # Drafts that are installed have no estimate.
    assert "as fast" not in capsys.readouterr().out
    store = answered(
        generated_tokens=201, rounds=70, drafted=200, accepted=150, speedup=1.5, speedup_low=1.45, speedup_high=1.55
    )
    # An open window keeps its chats to itself, but not what was compared.
    PairSpeeds(speeds_file()).add_comparison("org/main", "org/draft", 4.3)
    assert run("pairs", "org/main") == 0
    assert "4x as fast (measured)" in capsys.readouterr().out
    store.close()
    assert run("pairs", "org/main") == 0
    best, other = capsys.readouterr().out.splitlines()[1:3]
    assert best.startswith("*  org/draft")
    assert "4x as fast (measured) · 150 of 200 drafts accepted" in best
    assert "as fast" not in other


@pytest.mark.usefixtures("impatient", "installed")
def test_pairs_star_no_draft_of_which_no_token_was_accepted(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    answered(generated_tokens=20, rounds=19, drafted=19).close()
    assert run("pairs", "org/main") == 0
    lookup, draft = capsys.readouterr().out.splitlines()[1:3]
    assert lookup.startswith("*  (lookup)")
    assert draft.startswith("   org/draft")
    assert "0 of 19 drafts accepted" in draft
    assert "x as fast" not in draft


def free_bytes(capsys: pytest.CaptureFixture[str]) -> int:
    """The memory left for a draft, which the verdict on one that does not fit names."""
    (verdict,) = [one for one in objects(capsys) if one["id"] == "org/draft"]
    assert verdict["verdict"] == "no-room"
    return int(dict(verdict["arguments"])["free"])


@pytest.mark.usefixtures("installed")
def test_pairs_are_judged_by_the_limit_that_the_engine_admits(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.upkeep.memory.recommended_limit", lambda: 200_000)
    assert run("pairs", "org/main", "--json") == 0
    device = free_bytes(capsys)
    SettingsStore(settings_folder() / "settings.json").change(memory_limit_gb=0.0001)
    assert run("pairs", "org/main", "--json") == 0
    assert device - free_bytes(capsys) == 100_000


def test_pairs_of_a_model_that_is_only_on_the_hub_are_looked_up(
    run: Run, hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.add("someone/tuned", model_files())
    assert run("pairs", "someone/tuned", "--json") == 0
    assert objects(capsys)[-1]["event"] == "pair"


@pytest.mark.parametrize("words", [("search", "qwen"), ("pairs", "someone/tuned")])
def test_without_a_connection_it_is_one_line_and_exit_code_1(
    run: Run, hub: FakeHub, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    hub.unplugged = True
    assert run(*words) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "Can't reach Hugging Face. Check your connection and try again." in line
    assert run(*words, "--json") == 1
    (failed,) = objects(capsys)
    assert (failed["event"], failed["arguments"]["reason"]) == ("failed", "offline")


@pytest.mark.parametrize("words", [("search", "qwen"), ("download", "org/model")])
def test_working_offline_asks_nobody(
    run: Run, hub: FakeHub, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert run(*words) == 1
    assert "“Work offline” is on" in capsys.readouterr().err
    assert hub.requests == []


def test_without_a_known_draft_the_model_comes_alone_and_it_is_said(
    run: Run, hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    files = model_files(llama_config(vocab_size=7), tokenizer=tokenizer_json({"x": 0}))
    hub.add("someone/odd", files)
    assert run("download", "someone/odd", "--with-draft") == 0
    out, err = capsys.readouterr()
    assert "no draft model is known for someone/odd" in err
    assert out.startswith("someone/odd is ready")


def test_the_starter_has_one_name_in_the_list_and_for_removal(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.api.engine_host.resources", resources)
    assert run("list") == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert names == ["starter/draft", "starter/head", "starter/main"]
    for name in names:
        assert run("remove", name, "--yes") == 1
        assert capsys.readouterr().err == "tandem: The starter pair is part of Tandem and can't be deleted.\n"


@pytest.mark.full
def test_without_a_network_a_download_ends_with_what_to_do(
    run: Run, hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    assert run("download", "org/model", "--endpoint", f"http://127.0.0.1:{port}") == 1
    err = capsys.readouterr().err
    assert "asking Hugging Face what to download" in err
    assert err.endswith("Check your connection and try again. The same command resumes the download.\n")
    assert hub.requests == []


@pytest.fixture
def gguf(hub: FakeHub, tmp_path: Path) -> dict[str, bytes]:
    """A repository of two quantisations and a tower, made from a model that the catalog has for MLX."""
    files = {f"Some-{tag}.gguf": write_gguf(tmp_path / f"{tag}.gguf").read_bytes() for tag in ("Q4_K_M", "Q8_0")}
    tags = ("gguf", "base_model:quantized:Qwen/Qwen3-8B")
    hub.add("org/Some-GGUF", {**files, "mmproj-F16.gguf": b"GGUF"}, tags=tags, architecture="llama")
    return files


@pytest.mark.parametrize(("typed", "tag"), [
    ("org/Some-GGUF", "Q4_K_M"), ("org/Some-GGUF:q8_0", "Q8_0"), ("hf.co/org/Some-GGUF:Some-Q8_0.gguf", "Q8_0"),
])  # fmt: skip
def test_a_quantisation_is_downloaded_by_its_tag_and_is_found_by_it(
    typed: str, tag: str, run: Run, cache: Path, gguf: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("download", typed) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"org/Some-GGUF/Some-{tag} is ready: {cache}")
    assert "left out, as no language model is in them: mmproj-F16.gguf" in err
    assert "mlx-community/Qwen3-8B-4bit is the same model for MLX" in err
    [model] = installed_models(cache)
    assert Path(model.path).read_bytes() == gguf[f"Some-{tag}.gguf"]
    assert is_named(model, typed if ":" in typed else f"{typed}:{tag}")
    assert run("remove", f"org/Some-GGUF:{tag}", "--yes") == 0
    assert installed_models(cache) == []


@pytest.mark.parametrize(("architecture", "typed", "said"), [
    ("llama", "org/Some-GGUF:Q9", "“Q9” does not name one quantization of org/Some-GGUF. Choose from: Q4_K_M, Q8_0."),
    ("qwen4exp", "org/Some-GGUF", "Its architecture is not supported yet (qwen4exp)."),
    ("llama", "org/None-GGUF:Q8_0", "There is no model org/None-GGUF"),
])  # fmt: skip
def test_what_cannot_be_downloaded_or_loaded_is_said_before_anything_arrives(
    architecture: str, typed: str, said: str, run: Run, hub: FakeHub, gguf: dict[str, bytes],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    hub.repositories["org/Some-GGUF"].architecture = architecture
    assert run("download", typed) == 1
    assert said in capsys.readouterr().err
    assert hub.sent == []
    assert gguf


def test_weights_of_mlx_come_before_gguf_files_of_the_same_repository(
    run: Run, hub: FakeHub, gguf: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    hub.add("org/both", {**model_files(), **gguf}, tags=("mlx", "gguf"))
    assert run("download", "org/both") == 0
    assert capsys.readouterr().out.startswith("org/both is ready")
    assert run("download", "org/both:Q8_0") == 0
    assert capsys.readouterr().out.startswith("org/both/Some-Q8_0 is ready")


def test_a_file_that_cannot_be_loaded_says_so_in_the_list(
    run: Run, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_gguf(own_home / ".lmstudio/models/org/m/m-Q8_0.gguf", general__architecture="qwen4exp")
    assert run("list") == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.endswith("Its architecture is not supported yet (qwen4exp) (LM Studio)")
