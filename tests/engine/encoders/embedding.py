"""Asks an encoder in a folder for embeddings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.encoders.resident import ResidentEncoder
from engine.events import Embeddings
from engine.files.steps import run_to_completion
from engine.requests import EmbeddingRequest

Numbers = NDArray[np.float64]
# Bytes for the model: more than any of them takes.
ROOM = 2**40


def embeddings_of(folder: Path, *texts: str, cuts: bool = False) -> Embeddings:
    """Return the embeddings of texts; with `cuts`, of the beginnings of those that are too long."""
    encoder = ResidentEncoder(lambda: ROOM)
    return run_to_completion(encoder.embed(EmbeddingRequest(str(folder), texts, cuts)))


def scaled(vector: Numbers) -> Numbers:
    """Return a vector of length 1."""
    return vector / np.linalg.norm(vector)
