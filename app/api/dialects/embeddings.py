"""POST /v1/embeddings and, in the shape of Ollama's API, /api/embed and /api/embeddings: vectors of length 1.

Those of embedding models are pooled as these want. Those of models for chats are the mean of the last hidden states,
which nobody has trained to compare texts: they only tell what a text is about. The field `x-embedding` says which of
the two an answer has.
"""

from __future__ import annotations

import asyncio
import base64
import math
import struct
import time
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from app.api.calls import AnswerRequestBody, Api
from app.api.dialects.completions import TokenId, texts_or_ids
from app.api.requests.errors import JsonReply
from engine.model_files.pooling import pooling_of
from engine.requests import ChatRequest, SpeculationSettings

_ABOUT = "x-embedding"
# Texts of a call, and those of them that the engine has at once.
_MOST_TEXTS, _AT_ONCE = 2048, 8
_Texts = str | Annotated[list[TokenId | str | list[TokenId]], Meta(min_length=1, max_length=_MOST_TEXTS)]
_Dimensions = Annotated[int, Meta(ge=1, le=2**20)]


class EmbeddingsBody(AnswerRequestBody, kw_only=True):
    """Embed texts."""

    input: _Texts
    dimensions: _Dimensions | None = None
    encoding_format: Literal["float", "base64"] | None = None


class OllamaEmbeddingsBody(AnswerRequestBody, kw_only=True):
    """Embed one text, in the older shape of Ollama's API."""

    prompt: str = ""


class _Embedded(Struct):
    """Embeddings, the name of their model, how many tokens the texts have, and what the vectors are."""

    vectors: list[tuple[float, ...]]
    model: str
    tokens: int
    # What the vectors are, as answers have it.
    about: dict[str, str]


async def embed(request: Request, body: EmbeddingsBody) -> Response:
    embedded = await _embedded(request, body, body.input, body.dimensions)
    vectors: list[Any] = embedded.vectors
    if body.encoding_format == "base64":
        vectors = [base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode() for vector in vectors]
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    usage = {"prompt_tokens": embedded.tokens, "total_tokens": embedded.tokens}
    return JsonReply({"object": "list", "data": data, "model": embedded.model, "usage": usage, _ABOUT: embedded.about})


async def embed_for_ollama(request: Request, body: EmbeddingsBody) -> Response:
    began = time.perf_counter()
    embedded = await _embedded(request, body, body.input, body.dimensions)
    took = round((time.perf_counter() - began) * 1e9)
    figures = {"total_duration": took, "load_duration": 0, "prompt_eval_count": embedded.tokens}
    return JsonReply({"model": embedded.model, "embeddings": embedded.vectors, **figures, _ABOUT: embedded.about})


async def embed_one_for_ollama(request: Request, body: OllamaEmbeddingsBody) -> Response:
    embedded = await _embedded(request, body, body.prompt, None)
    return JsonReply({"embedding": embedded.vectors[0], _ABOUT: embedded.about})


async def _embedded(request: Request, body: AnswerRequestBody, given: _Texts, dimensions: int | None) -> _Embedded:
    """Embed texts, some at a time. Raises `ApiError`."""
    api: Api = request.app.state.api
    texts = texts_or_ids("input", given)
    embedded = _Embedded([], "", 0, {})
    for first in range(0, len(texts), _AT_ONCE):
        requests = [
            # Without a text there is nothing to read.
            ChatRequest(prompt=text or " ", max_tokens=0, embedding=True, speculation=SpeculationSettings("off"))
            for text in texts[first : first + _AT_ONCE]
        ]
        main, answers = await api.answers(request, body, requests)
        embedded.model = api.models.name_of(main)
        if not embedded.about:
            embedded.about = await asyncio.to_thread(_about, main.path)
        for answer in answers:
            embedded.vectors.append(_cut(answer.finished.embedding, dimensions))
            embedded.tokens += answer.finished.stats.prompt_tokens
    return embedded


def _about(folder: Path) -> dict[str, str]:
    """Return what the vectors of the model in a folder are."""
    pooling = pooling_of(folder)
    return {"model": "embedding" if pooling else "chat", "pooling": pooling or "mean"}


def _cut(vector: tuple[float, ...], dimensions: int | None) -> tuple[float, ...]:
    """Return the first numbers of an embedding, scaled to length 1 again."""
    if dimensions is None or dimensions >= len(vector):
        return vector
    first = vector[:dimensions]
    length = math.hypot(*first) or 1.0
    return tuple(number / length for number in first)
