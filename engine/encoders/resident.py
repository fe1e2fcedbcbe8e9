"""The encoder in memory, and the embeddings of texts by it. Runs on the engine's thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import cast

import mlx.core as mx

from engine.decoders.generation import release_unused_memory
from engine.encoders.loading import Encoder, load_encoder
from engine.errors import ModelNotUsable, NotEnoughMemory, PromptTooLong, TemplateFailed
from engine.events import Embeddings
from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.model_files.model_folder import ModelFolder
from engine.requests import EmbeddingRequest
from engine.sandbox.errors import SandboxError
from engine.tokenizers.prompt_process import BUILD_S, CHARACTERS_A_SECOND, PROMPT_PROCESS
from engine.tokenizers.tasks import ids_with_marks

log = logging.getLogger(__name__)

# The most tokens of several texts in one pass. Answers that stream wait for a pass; that of one text may be longer.
_MOST_TOKENS = 1024


class ResidentEncoder:
    """Keeps the encoder that was used last: they are small, and few programs ask for two.

    `free` returns the bytes that it may take.
    """

    def __init__(self, free: Callable[[], int]) -> None:
        self._free_memory = free
        self._encoder: Encoder | None = None

    @property
    def loaded(self) -> bool:
        return self._encoder is not None

    def unload(self) -> bool:
        """Drop the encoder until its next request. Return False if there is none."""
        was_loaded = self.loaded
        self._encoder = None
        if was_loaded:
            release_unused_memory()
        return was_loaded

    def embed(self, request: EmbeddingRequest) -> Steps[Embeddings]:
        """Embed texts, in steps of one pass each, and load their model if it is not the one in memory.

        Raises `ModelNotUsable`, `NotEnoughMemory`, `TemplateFailed` for texts beyond the limits of a tokenizer, and
        `PromptTooLong`.
        """
        path = Path(request.model)
        if self._encoder is None or self._encoder.path != path:
            self.unload()
            needed = ModelFolder(path).weight_bytes
            free = self._free_memory()
            if needed > free:
                raise NotEnoughMemory(path.name, needed, free, 0, 0)
            self._encoder = yield from load_encoder(path)
            log.info("loaded the encoder %s, for texts of up to %d tokens", path.name, self._encoder.most_tokens)
        encoder = self._encoder
        rows = yield from _ids(encoder, request)
        vectors = dict[int, tuple[float, ...]]()
        for places in passes_of([len(ids) for ids in rows]):
            arrays = encoder.embeddings([rows[place] for place in places])
            mx.eval(arrays)
            for place, array in zip(places, arrays, strict=True):
                vectors[place] = tuple(cast("list[float]", array.tolist()))
            yield None
        return Embeddings(tuple(vectors[place] for place in range(len(rows))), sum(map(len, rows)))


def passes_of(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of texts with these `lengths` that are computed in one pass, longest first.

    At most a quarter of a row is padding: of lengths 9, 3 and 8, those at places 0 and 2 are together.
    """
    places: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        longest = lengths[places[0]] if places else 0
        is_full = (len(places) + 1) * longest > _MOST_TOKENS
        if places and (is_full or 4 * lengths[place] < 3 * longest):
            yield places
            places = []
        places.append(place)
    if places:
        yield places


def _ids(encoder: Encoder, request: EmbeddingRequest) -> Steps[list[list[int]]]:
    """Return the tokens of each text, made in the prompt process, whose limits hold for a stranger's tokenizer."""
    texts = [text.lower() if encoder.lower_case else text for text in request.texts]
    file = str(encoder.path / "tokenizer.json")
    seconds = BUILD_S + sum(map(len, texts)) / CHARACTERS_A_SECOND
    most = encoder.most_tokens if request.cuts else None
    with DiskPool() as disk:
        task = partial(ids_with_marks, file, texts, most)
        try:
            rows = yield from result_of(disk.start(PROMPT_PROCESS.run, task, seconds, disk.leaving))
        except SandboxError as error:
            raise TemplateFailed(str(error)[:120], error.reason) from error
    for ids in rows:
        if len(ids) > encoder.most_tokens:
            raise PromptTooLong(len(ids), encoder.most_tokens)
        if not ids or max(ids) >= encoder.ids:
            raise ModelNotUsable(encoder.path, "vocabulary", "tokenizer.json")
    return rows
