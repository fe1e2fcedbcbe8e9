"""Safetensors files that anyone may have changed: refused, or read as the format's own library reads them."""

from __future__ import annotations

import json
import os
import random
import shutil
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.gguf.conversion import convert
from engine.main_model.loading import load, load_in_steps
from engine.model_files.model_folder import INDEX_NAME
from tests.campaigns.changed_safetensors import changed, is_another_model
from tests.campaigns.disturbed_files import KINDS, disturb, disturbed
from tests.tiny_gguf import write_gguf
from tests.tiny_models import BFLOAT16, FOUR_BITS, Stored, write_model

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
# Folders of more models, for work at the desk.
MORE = [Path(path) for path in os.environ.get("TANDEM_SAFETENSORS", "").split(os.pathsep) if path]
IDS = mx.array([[3, 17, 5, 90, 41, 8]])


def logits(folder: Path) -> mx.array | str:
    """Return what a model computes, or the reason for which it is refused."""
    try:
        found: mx.array = load(folder).model(IDS)
    except ModelNotUsable as error:
        return error.reason
    return found


@pytest.mark.parametrize("model", [FOUR_BITS, BFLOAT16, *MORE], ids=str)
def test_a_changed_file_is_refused_or_computes_what_it_holds(tmp_path: Path, model: Stored | Path) -> None:
    if isinstance(model, Stored):
        folder = write_model(tmp_path / "model", stored=model)
    else:
        folder = Path(shutil.copytree(model, tmp_path / "model"))
    path, want, outcomes, wrong = folder / "model.safetensors", logits(folder), Counter[str](), []
    assert isinstance(want, mx.array)
    sound, source = path.read_bytes(), random.Random(101)
    for _ in range(int(1_000 * SIZE)):
        kind, content = changed(sound, source)
        path.write_bytes(content)
        found = logits(folder)
        if isinstance(found, str):
            outcomes[f"{kind}: {found}"] += 1
        elif bool(mx.array_equal(found, want)):
            outcomes[f"{kind}: the same"] += 1
        elif is_another_model(content, sound):
            outcomes[f"{kind}: another model"] += 1
        else:
            wrong.append((kind, content[:3_000]))
    print(dict(sorted(outcomes.items())), Counter(kind for kind, _ in wrong))
    assert not wrong, wrong[0]


def in_shards(folder: Path, count: int = 3) -> Path:
    """Spread the weights of a folder over files, with an index."""
    weights = mx.load(str(folder / "model.safetensors"))
    assert isinstance(weights, dict)
    shards = [f"model-{number + 1:05d}-of-{count:05d}.safetensors" for number in range(count)]
    places = {name: shards[number % count] for number, name in enumerate(sorted(weights))}
    for shard in shards:
        mx.save_safetensors(str(folder / shard), {name: weights[name] for name in weights if places[name] == shard})
    (folder / "model.safetensors").unlink()
    (folder / INDEX_NAME).write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": places}))
    return folder


ODD_SHARDS = (
    "../outside.safetensors", "/etc/passwd", "model-00009-of-00009.safetensors", "model-00001-of-00003.safetensors",
    "inner/model.safetensors", "config.json", "link.safetensors", "model-link.safetensors", ".", "", "x\0y", "~/x", 5,
    None, [], "model*.safetensors", "model-00001-of-00002.safetensors", "a" * 5_000,
)  # fmt: skip


def change_shards(folder: Path, source: random.Random) -> str:
    """Change which files a folder has, or which its index names."""
    shards, path = sorted(folder.glob("model-*.safetensors")), folder / INDEX_NAME
    index, kind = json.loads(path.read_text()), source.randrange(12)
    name = source.choice(list(index["weight_map"]))
    if kind < 4:
        index["weight_map"][source.choice((name, "new.weight", ""))] = source.choice(ODD_SHARDS)
    elif kind == 4:
        index["weight_map"] = source.choice(
            ([], {}, None, "x", {"a": {"b": "c"}}, dict.fromkeys(map(str, range(3_000)), "x"))
        )
    elif kind == 5:
        index["metadata"] = source.choice(([], None, {"total_size": -1}, {"total_size": 2**80}, {"total_size": "9"}))
    elif kind == 6:
        path.write_bytes(source.choice((b"", b"[]", b"{", path.read_bytes()[:-9], b"\xff" + path.read_bytes())))
        return "index"
    elif kind == 7:
        source.choice(shards).unlink()
        return "shard gone"
    elif kind == 8:
        shards[0].rename(folder / source.choice(("weights.safetensors", "model-00004-of-00003.safetensors")))
        return "shard renamed"
    elif kind == 9:
        shutil.copy(shards[0], shards[1])
        return "shard twice"
    elif kind == 10:
        copy = folder / source.choice(
            ("model.safetensors", "model-old.safetensors", "model-00001-of-00001.safetensors")
        )
        other = {one: 2 * array for one, array in mx.load(str(shards[0])).items()}  # type: ignore[union-attr]
        mx.save_safetensors(str(copy), other)
        return "tensors twice"
    else:
        link = folder / source.choice(("model-link.safetensors", "link.safetensors"))
        link.symlink_to(
            source.choice(("/dev/zero", "/etc/passwd", "..", link.name, "../outside.safetensors", shards[0].name))
        )
        return "link"
    path.write_text(json.dumps(index))
    return "index"


def test_changed_shards_are_refused_or_compute_the_same(tmp_path: Path) -> None:
    sound = in_shards(write_model(tmp_path / "sound"))
    shutil.copy(sound / "model-00001-of-00003.safetensors", tmp_path / "outside.safetensors")
    want, source, outcomes = logits(sound), random.Random(102), Counter[str]()
    for number in range(int(300 * SIZE)):
        folder = Path(shutil.copytree(sound, tmp_path / f"changed/{number}"))
        kind = change_shards(folder, source)
        found = logits(folder)
        outcomes[f"{kind}: {found if isinstance(found, str) else 'the same'}"] += 1
        assert isinstance(found, str) or bool(mx.array_equal(found, want)), kind
    print(dict(sorted(outcomes.items())))


def converted(folder: Path, seed: int) -> Path:
    source = write_gguf(folder.with_suffix(".gguf"), seed=seed)
    convert(source, folder, lambda *_: None, threading.Event())
    return folder


MAKERS: dict[str, Callable[[Path, int], Path]] = {
    "one file": lambda folder, seed: write_model(folder, seed=seed),
    "shards": lambda folder, seed: in_shards(write_model(folder, seed=seed)),
    "from GGUF": converted,
}


@pytest.mark.parametrize("maker", MAKERS)
def test_a_file_that_changes_while_it_is_loaded_gives_no_wrong_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, maker: str
) -> None:
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 5_000)
    mine, theirs = (MAKERS[maker](tmp_path / f"home/of/{seed}", seed) for seed in (1, 2))
    wanted, source, outcomes, wrong = [logits(mine), logits(theirs)], random.Random(103), Counter[str](), list[str]()
    for number in range(int(200 * SIZE)):
        folder, kind = Path(shutil.copytree(mine, tmp_path / f"changed/{number}")), source.choice(KINDS)
        file = source.choice(sorted(folder.glob("*.safetensors")))
        disturbance = partial(disturb, kind, file, theirs / file.name, source)
        try:
            model = disturbed(load_in_steps(folder), source.randrange(1, 25), disturbance)
        except ModelNotUsable as error:
            outcomes[f"{kind}: {error.reason}"] += 1
            continue
        same = [bool(mx.array_equal(model.model(IDS), want)) for want in wanted]
        outcomes[f"{kind}: {'the old' if same[0] else 'the new' if same[1] else 'wrong'}"] += 1
        wrong += [] if any(same) else [kind]
    print(dict(sorted(outcomes.items())))
    assert not wrong
