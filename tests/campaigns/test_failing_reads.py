"""Reads of weights that fail while a model loads, as when its volume is pulled: no load hangs, no evaluation suffers.

The descriptors through which MLX would read are made useless before every evaluation of a load (Linux only): a load
that ends well has read everything itself. Else a read of ours fails as well, at a random place.
"""

from __future__ import annotations

import errno
import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.cpu_backend import backend
from engine.errors import ModelNotUsable
from engine.main_model.loading import load
from engine.prefix.store import PrefixStore, read_entry
from tests.encoder_folders import GEMMA, WIDTH, write_encoder
from tests.engine.encoders.embedding import embeddings_of
from tests.engine.heads.heads_on_disk import load_head
from tests.engine.pictures.questions import FILES, embedded
from tests.engine.serving_requests import open_scheduler, request, run
from tests.tiny_adapters import write_adapter
from tests.tiny_heads import write_head
from tests.tiny_models import BFLOAT16, FOUR_BITS, Stored, write_experts_apart, write_model
from tests.tiny_vision import GEMMA3, write_vision_model

DESCRIPTORS = Path("/proc/self/fd")
pytestmark = [
    pytest.mark.campaign,
    pytest.mark.expects_log,
    pytest.mark.skipif(not DESCRIPTORS.exists(), reason="no list of this process's descriptors"),
]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
IDS = mx.array([[3, 17, 5, 90, 41, 8]])
KINDS = ("error", "end", "only inside of MLX")
READ, EVALUATE = os.preadv, mx.eval
# Returns what was loaded as numbers, None if it was not used. Raises `ModelNotUsable`.
Loader = Callable[[], object]


class Volume:
    """Fails reads of files in a folder: those inside of MLX, and from number `fails_at` on ours."""

    def __init__(self, folder: Path, kind: str, fails_at: int) -> None:
        self.folder, self.kind, self.left = folder, kind, fails_at

    def evaluate(self, *arrays: Any) -> None:
        """Let the descriptors of the folder's files, which MLX has opened, be those of a folder before it reads."""
        folder = os.open(self.folder, os.O_RDONLY)
        for entry in DESCRIPTORS.iterdir():
            if self._holds(int(entry.name)):
                os.dup2(folder, int(entry.name))
        os.close(folder)
        EVALUATE(*arrays)

    def _holds(self, descriptor: int) -> bool:
        # Another thread reads the tokenizer meanwhile.
        path = os.path.realpath(DESCRIPTORS / str(descriptor))
        return path.startswith(f"{self.folder}/") and path.endswith(".safetensors")

    def preadv(self, descriptor: int, *arguments: Any) -> int:
        if not self._holds(descriptor):
            return READ(descriptor, *arguments)
        self.left -= 1
        if self.left >= 0 or self.kind == "only inside of MLX":
            return READ(descriptor, *arguments)
        if self.kind == "error":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return 0


def main_model(stored: Stored) -> Callable[[Path], Loader]:
    def written(folder: Path) -> Loader:
        write_model(folder, seed=1, stored=stored)
        return lambda: load(folder).model(IDS).tolist()

    return written


def stacked(folder: Path) -> Loader:
    write_experts_apart(folder)
    return lambda: [(name, array.tolist()) for name, array in tree_flatten(load(folder).model.parameters())]


def adapter(folder: Path) -> Loader:
    write_adapter(write_model(folder.parent, seed=1, stored=BFLOAT16), folder)
    return lambda: load(folder).model(IDS).tolist()


def head(folder: Path) -> Loader:
    write_head(folder, write_model(folder.parent / "base", seed=1))
    return lambda: [(name, array.tolist()) for name, array in tree_flatten(load_head(folder).network.parameters())]


def encoder(folder: Path) -> Loader:
    write_encoder(folder, GEMMA, "mean_tokens", dense=(64, WIDTH))
    return lambda: embeddings_of(folder, "fox").vectors


def tower(folder: Path) -> Loader:
    write_vision_model(folder, GEMMA3)

    def loaded() -> object:
        vision = load(folder).vision
        assert vision is not None
        return embedded(vision, FILES[0]).tolist()

    return loaded


def kept_turn(folder: Path) -> Loader:
    main = write_model(folder.parent / "base", seed=1)
    with open_scheduler(main, prefix_cache_folder=folder) as scheduler:
        run(scheduler, replace(request(max_tokens=40), conversation="chat"))
    [file] = folder.iterdir()
    content, tokens, model = file.read_bytes(), read_entry(file)["main"]["tokens"], load(main)

    def loaded() -> object:
        file.write_bytes(content)
        found = PrefixStore(folder, model, 2**30).find([*tokens, 0], 0)
        return found and [array.tolist() for array in found.arrays()]

    return loaded


PARTS: dict[str, Callable[[Path], Loader]] = {
    "main model, bfloat16": main_model(BFLOAT16),
    "main model, four bits": main_model(FOUR_BITS),
    "main model, stacked experts": stacked,
    "main model, computed in float32": main_model(BFLOAT16),
    "adapter": adapter,
    "head": head,
    "encoder": encoder,
    "tower": tower,
    "kept turn": kept_turn,
}


@pytest.mark.parametrize("part", PARTS)
def test_no_failing_read_hangs_or_disturbs_the_next_evaluation(
    tmp_path: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = backend.CPU if part == "main model, computed in float32" else backend.GPU
    monkeypatch.setenv(backend.VARIABLE, computed.name)
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 5_000)
    folder = tmp_path / "part"
    loaded = PARTS[part](folder)
    draw, outcomes, reads = random.Random(107), Counter[str](), Volume(folder, "only inside of MLX", 0)
    with monkeypatch.context() as counted:
        counted.setattr(os, "preadv", reads.preadv)
        want = loaded()
    square = mx.arange(4096, dtype=mx.float32).reshape(64, 64) / 4096
    trace = mx.trace(square @ square).item()
    for _ in range(int(400 * SIZE)):
        kind = draw.choice(KINDS)
        volume = Volume(folder, kind, draw.randrange(-reads.left))
        with monkeypatch.context() as failing:
            failing.setattr(os, "preadv", volume.preadv)
            failing.setattr(mx, "eval", volume.evaluate)
            try:
                found = loaded()
            except ModelNotUsable as error:
                found = None
                outcomes[f"{kind}: {error.reason} {error.detail}"] += 1
            else:
                outcomes[f"{kind}: {'not used' if found is None else 'used'}"] += 1
        assert found == want if found is not None else kind != "only inside of MLX"
        assert mx.trace(square @ square).item() == trace
    print(part, dict(sorted(outcomes.items())))
