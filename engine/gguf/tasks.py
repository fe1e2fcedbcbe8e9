"""The tasks of the sandbox that converts GGUF files."""

from __future__ import annotations

from pathlib import Path

from engine.gguf.plan import GgufPlan
from engine.sandbox.tasks import task


@task
def prepare_folder(source: str, folder: str) -> GgufPlan:
    """Check a GGUF file, and write the files of a folder for it, but for its weights."""
    from engine.gguf.writing import prepare

    return prepare(Path(source), Path(folder))


@task
def write_weights(source: str, folder: str, number: int) -> GgufPlan:
    """Write the file of weights with this number into a folder that was prepared."""
    from engine.gguf.writing import write_shard

    return write_shard(Path(source), Path(folder), number)
