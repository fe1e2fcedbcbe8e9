"""Heads, adapters and vocabularies that other programs change while they load: used as they were or are, or refused.

No text depends on it, no process hangs, and the prompt process never reads another vocabulary than the engine.
"""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import mlx.core as mx
import pytest
from tokenizers import Tokenizer
from transformers.convert_slow_tokenizer import bytes_to_unicode

from engine.errors import ModelNotUsable
from engine.heads.folder import inspect_head
from engine.heads.loading import load_head
from engine.main_model.loading import load, load_in_steps
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.tokenizers.prompt_process import PROMPT_PROCESS
from engine.tokenizers.prompts import PromptJob
from tests.campaigns.disturbed_files import KINDS, disturb, disturbed
from tests.engine.serving_requests import alone, load_models, request
from tests.patience import PATIENCE_S
from tests.tiny_adapters import write_adapter
from tests.tiny_heads import write_head
from tests.tiny_models import FLOAT32, train_tokenizer, write_model

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]
IDS = mx.array([[3, 17, 5, 90, 41, 8]])
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 5_000)


def test_a_head_that_changes_while_it_loads_is_whole_or_refused_and_changes_no_text(tmp_path: Path) -> None:
    main = write_model(tmp_path / "main", seed=1, stored=FLOAT32)
    mine = write_head(tmp_path / "mine", main)
    theirs = shutil.copytree(mine, tmp_path / "theirs")
    doubled = {name: 2 * array for name, array in mx.load(str(mine / "model.safetensors")).items()}  # type: ignore[union-attr]
    mx.save_safetensors(str(theirs / "model.safetensors"), doubled, metadata={"format": "mlx"})
    known = {disturbed(load_head(inspect_head(folder)), 0, lambda: None).identity for folder in (mine, theirs)}
    draw, outcomes = random.Random(107), Counter[str]()
    scheduler = Scheduler(EngineSettings())
    load_models(scheduler, main, None)
    want = alone(scheduler, request()).ids
    for number in range(int(60 * SIZE)):
        folder, kind = Path(shutil.copytree(mine, tmp_path / f"changed/{number}")), draw.choice(KINDS)
        file = folder / "model.safetensors"
        disturbance = partial(disturb, kind, file, theirs / file.name, draw)
        try:
            head = disturbed(load_head(inspect_head(folder)), draw.randrange(25), disturbance)
        except ModelNotUsable as error:
            outcomes[f"{kind}: {error.reason}"] += 1
        else:
            outcomes[f"{kind}: used"] += 1
            assert head.identity in known or kind == "noise"
        try:
            load_models(scheduler, main, folder)
        except ModelNotUsable:
            load_models(scheduler, main, None)
        assert alone(scheduler, request()).ids == want
    scheduler.close()
    print(dict(sorted(outcomes.items())))


def test_an_adapter_that_changes_while_it_loads_is_the_old_the_new_or_refused(tmp_path: Path) -> None:
    main = write_model(tmp_path / "main", seed=1, stored=FLOAT32)
    mine, theirs = (write_adapter(main, main / name, seed=seed) for name, seed in (("mine", 3), ("theirs", 4)))
    wanted = [load(folder).model(IDS) for folder in (mine, theirs)]
    draw, outcomes, wrong = random.Random(108), Counter[str](), list[str]()
    for number in range(int(60 * SIZE)):
        folder, kind = Path(shutil.copytree(mine, main / f"changed-{number}")), draw.choice(KINDS)
        file = draw.choice(sorted(folder.iterdir()))
        disturbance = partial(disturb, kind, file, theirs / file.name, draw)
        try:
            model = disturbed(load_in_steps(folder), draw.randrange(30), disturbance)
        except ModelNotUsable as error:
            outcomes[f"{kind}: {error.reason}"] += 1
        else:
            same = [bool(mx.array_equal(model.model(IDS), want)) for want in wanted]
            outcomes[f"{kind}: {'the old' if same[0] else 'the new' if same[1] else 'wrong'}"] += 1
            # Noise in the numbers before they are read is another adapter.
            wrong += [] if any(same) or kind == "noise" else [f"{kind} of {file.name}"]
        finally:
            shutil.rmtree(folder)
    print(dict(sorted(outcomes.items())))
    assert not wrong


def as_tiktoken(folder: Path, tokenizer: Tokenizer) -> None:
    """Replace a folder's tokenizer.json by a file of tiktoken with the same tokens: their bytes and ranks."""
    bytes_of = {character: byte for byte, character in bytes_to_unicode().items()}
    tokens = sorted(tokenizer.get_vocab(with_added_tokens=False).items(), key=lambda entry: entry[1])
    ordinary = [token for token, _ in tokens if not token.startswith("<|")]
    lines = [
        f"{base64.b64encode(bytes(bytes_of[character] for character in token)).decode()} {rank}"
        for rank, token in enumerate(ordinary)
    ]
    (folder / "tokenizer.json").unlink()
    (folder / "tiktoken.model").write_text("\n".join(lines) + "\n")


def exchange(folder: Path, draw: random.Random) -> None:
    """Give two tokens each other's ids, wherever a folder's vocabulary is."""
    file = folder / "tiktoken.model"
    if file.exists():
        lines = file.read_text().splitlines()
        first, second = draw.sample(range(200), 2)
        words = [lines[first].split()[0], lines[second].split()[0]]
        lines[first], lines[second] = f"{words[1]} {first}", f"{words[0]} {second}"
        file.write_text("\n".join(lines) + "\n")
        return
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text())
    vocabulary = content["model"]["vocab"]
    letters = [token for token in vocabulary if len(token) == 1]
    first_letter, second_letter = draw.sample(letters, 2)
    vocabulary[first_letter], vocabulary[second_letter] = vocabulary[second_letter], vocabulary[first_letter]
    file.write_text(json.dumps(content))


def in_json(folder: Path) -> None:
    del folder


VOCABULARIES: dict[str, Callable[[Path], None]] = {
    "tokenizer.json": in_json,
    "tiktoken": lambda folder: as_tiktoken(folder, train_tokenizer()),
}
TEXT = "The quick brown fox jumps over the lazy dog: 0123456789 {zebra}"


@pytest.mark.parametrize("kind", VOCABULARIES)
@pytest.mark.parametrize("ends", [False, True], ids=["loads", "is started again"])
def test_prompts_have_the_ids_that_the_engine_reads_or_the_model_is_refused(
    tmp_path: Path, kind: str, ends: bool
) -> None:
    if kind == "tiktoken":
        pytest.importorskip("tiktoken", reason="transformers needs it for these files")
    sound = write_model(tmp_path / "sound", seed=1)
    VOCABULARIES[kind](sound)
    draw, outcomes = random.Random(109), Counter[str]()
    assert load(sound).prompt_source is not None
    for number in range(int(20 * SIZE)):
        folder = Path(shutil.copytree(sound, tmp_path / f"changed-{number}"))
        changing = partial(exchange, folder, draw)
        try:
            model = disturbed(load_in_steps(folder), 10**6 if ends else draw.randrange(12), changing)
            if ends:
                changing()
                PROMPT_PROCESS.end()
            source = model.prompt_source
            assert source is not None
            made = PROMPT_PROCESS.start_prompt(source, PromptJob((), 512, prompt=TEXT)).result(PATIENCE_S)
        except ModelNotUsable as error:
            outcomes[error.reason] += 1
        else:
            outcomes["used"] += 1
            assert model.tokenizer.decode(made.ids).endswith(TEXT)
    print(kind, dict(outcomes))
