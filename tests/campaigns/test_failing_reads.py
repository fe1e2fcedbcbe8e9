"""Reads of weights that fail while a model loads, as when its volume is pulled: no load hangs, no evaluation suffers.

The descriptors through which MLX would read are made useless in every load (Linux only): a load that ends well has
read everything itself. Else a read of ours fails as well, at a random place.
"""

from __future__ import annotations

import errno
import os
import random
from collections import Counter
from pathlib import Path

import mlx.core as mx
import pytest

from engine.cpu_backend import backend
from engine.errors import ModelNotUsable
from engine.main_model.loading import load_in_steps
from tests.campaigns.disturbed_files import disturbed
from tests.tiny_models import BFLOAT16, FOUR_BITS, write_model

DESCRIPTORS = Path("/proc/self/fd")
pytestmark = [
    pytest.mark.campaign,
    pytest.mark.expects_log,
    pytest.mark.skipif(not DESCRIPTORS.exists(), reason="no list of this process's descriptors"),
]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
IDS = mx.array([[3, 17, 5, 90, 41, 8]])
KINDS = ("error", "end", "only inside of MLX")
READ = os.preadv


class Volume:
    """Fails reads of files: those inside of MLX after `pull`, and read number `fails_at` of ours."""

    def __init__(self, file: Path, kind: str, fails_at: int) -> None:
        self.file, self.kind, self.left = file, kind, fails_at

    def pull(self, *_: int) -> None:
        """Let the descriptors of the file, which MLX has opened, be those of a folder."""
        folder = os.open(self.file.parent, os.O_RDONLY)
        for entry in DESCRIPTORS.iterdir():
            if os.path.exists(entry) and os.path.samefile(entry, self.file):
                os.dup2(folder, int(entry.name))
        os.close(folder)

    def preadv(self, *arguments: object) -> int:
        self.left -= 1
        if self.left >= 0 or self.kind == "only inside of MLX":
            return READ(*arguments)  # type: ignore[arg-type]
        if self.kind == "error":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return 0


@pytest.mark.parametrize("stored", [BFLOAT16, FOUR_BITS], ids=["bfloat16", "four bits"])
def test_no_failing_read_hangs_or_disturbs_the_next_evaluation(
    tmp_path: Path, stored: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(backend.VARIABLE, backend.GPU.name)
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 5_000)
    folder = write_model(tmp_path / "main", seed=1, stored=stored)
    file = folder / "model.safetensors"
    want = disturbed(load_in_steps(folder), -1, lambda: None).model(IDS)
    draw, outcomes = random.Random(107), Counter[str]()
    square = mx.arange(4096, dtype=mx.float32).reshape(64, 64) / 4096
    trace = mx.trace(square @ square).item()
    for _ in range(int(400 * SIZE)):
        kind = draw.choice(KINDS)
        volume = Volume(file, kind, draw.randrange(20))
        monkeypatch.setattr(os, "preadv", volume.preadv)
        try:
            model = disturbed(load_in_steps(folder, on_progress=volume.pull), -1, lambda: None)
        except ModelNotUsable as error:
            outcomes[f"{kind}: {error.reason} {error.detail}"] += 1
            assert kind != "only inside of MLX"
        else:
            outcomes[f"{kind}: used"] += 1
            assert mx.array_equal(model.model(IDS), want)
        assert mx.trace(square @ square).item() == trace
    print(dict(sorted(outcomes.items())))
