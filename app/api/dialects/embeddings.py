"""POST /v1/embeddings and, in the shape of Ollama's API, /api/embed and /api/embeddings: vectors of length 1.

Embedding models read the text after the prompt that their folders name, and are pooled as these say. Vectors of models
for chats are the mean of the last hidden states, which nobody has trained to compare texts: they only tell what a text
is about. The field `x-embedding` says which of the two an answer has.
"""

from __future__ import annotations

import asyncio
import base64
import math
import struct
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from app.api.calls import AnswerRequestBody, Api
from app.api.dialects.completions import TokenId, texts_or_ids
from app.api.requests.errors import JsonReply, bad_field, of_engine
from engine.errors import EngineError
from engine.model_files.model import Model
from engine.model_files.pooling import pooling_of
from engine.model_files.sentence_files import prompt_for
from engine.requests import ChatRequest, EmbeddingRequest, SpeculationSettings

_ABOUT = "x-embedding"
# The most texts of a call.
_MOST_TEXTS = 2048
# The texts of a call that the engine has at once.
_TEXTS_AT_ONCE = 8
_Texts = str | Annotated[list[TokenId | str | list[TokenId]], Meta(min_length=1, max_length=_MOST_TEXTS)]
_Dimensions = Annotated[int, Meta(ge=1, le=2**20)]


class _EmbeddingFields(AnswerRequestBody, kw_only=True):
    # One of the model's prompts: by text-embeddings-inference's field, and by that of Cohere, NVIDIA and others.
    prompt_name: str | None = None
    input_type: str | None = None
    # Whether a model reads the beginning of a text that is too long for it; Ollama's default.
    truncate: bool | str | None = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        options = body.get("options")
        if isinstance(options, dict) and options.get("num_ctx"):
            # A text is cut where the model's context ends.
            skipped.append("num_ctx")
        return super().normalised(body, skipped)

    @property
    def named_prompt(self) -> str | None:
        """The name of the prompt before each text; None for the one that the model always has."""
        return self.prompt_name or self.input_type or None


class EmbeddingsBody(_EmbeddingFields, kw_only=True):
    """Embed texts."""

    input: _Texts
    dimensions: _Dimensions | None = None
    encoding_format: Literal["float", "base64"] | None = None


class OllamaEmbeddingsBody(_EmbeddingFields, kw_only=True):
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
    return JsonReply(
        {"object": "list", "data": data, "model": embedded.model, "usage": usage, _ABOUT: embedded.about},
        headers=request.state.skipped,
    )


async def embed_for_ollama(request: Request, body: EmbeddingsBody) -> Response:
    began = time.perf_counter()
    embedded = await _embedded(request, body, body.input, body.dimensions, cuts=True)
    took = round((time.perf_counter() - began) * 1e9)
    figures = {"total_duration": took, "load_duration": 0, "prompt_eval_count": embedded.tokens}
    return JsonReply(
        {"model": embedded.model, "embeddings": embedded.vectors, **figures, _ABOUT: embedded.about},
        headers=request.state.skipped,
    )


async def embed_one_for_ollama(request: Request, body: OllamaEmbeddingsBody) -> Response:
    embedded = await _embedded(request, body, body.prompt, None, cuts=True)
    return JsonReply({"embedding": embedded.vectors[0], _ABOUT: embedded.about}, headers=request.state.skipped)


async def _embedded(
    request: Request, body: _EmbeddingFields, given: _Texts, dimensions: int | None, *, cuts: bool = False
) -> _Embedded:
    """Embed texts, some at a time; `cuts` is the default of `truncate`. Raises `errors.ApiError`."""
    api: Api = request.app.state.api
    texts = texts_or_ids("input", given)
    encoder = await api.models.encoder(body.model or "")
    embedded = _Embedded([], "", 0, {})
    if body.truncate is not None:
        cuts = body.truncate not in (False, "NONE")
    for first in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[first : first + _TEXTS_AT_ONCE]
        if encoder is None:
            await _embed_by_main_model(request, body, some, embedded, cuts=cuts)
        else:
            await _embed_by_encoder(api, body, encoder, some, embedded, cuts=cuts)
    embedded.vectors = [_cut(vector, dimensions) for vector in embedded.vectors]
    return embedded


async def _embed_by_main_model(
    request: Request, body: _EmbeddingFields, texts: Sequence[str | list[int]], embedded: _Embedded, *, cuts: bool
) -> None:
    """Add the embeddings of texts, or of token ids, by a model that answers. Raises `errors.ApiError`."""
    api: Api = request.app.state.api
    pair = await api.models.use(body.model or "")
    assert pair.main is not None
    prompt = await _prompt(pair.main.path, body.named_prompt)
    requests = [
        # Without a text there is nothing to read.
        ChatRequest(
            prompt=(f"{prompt}{text}" if isinstance(text, str) else text) or " ",
            max_tokens=0,
            overflow="cut" if cuts else "refuse",
            embedding=True,
            speculation=SpeculationSettings("off"),
        )
        for text in texts
    ]
    main, answers = await api.answers(request, body, requests)
    embedded.model = api.models.name_of(main)
    if not embedded.about:
        embedded.about = await asyncio.to_thread(_about, main.path)
    for answer in answers:
        embedded.vectors.append(answer.finished.embedding)
        embedded.tokens += answer.finished.stats.prompt_tokens


async def _embed_by_encoder(
    api: Api,
    body: _EmbeddingFields,
    encoder: Model,
    texts: Sequence[str | list[int]],
    embedded: _Embedded,
    *,
    cuts: bool,
) -> None:
    """Add the embeddings of texts by an encoder. Raises `errors.ApiError`."""
    folder = Path(encoder.path)
    prompt = await _prompt(folder, body.named_prompt)
    written = [text for text in texts if isinstance(text, str)]
    if len(written) < len(texts):
        raise bad_field("input", "a text or a list of texts: this model's token ids are not taken")
    asked = EmbeddingRequest(str(folder), [f"{prompt}{text}" for text in written], cuts)
    try:
        embeddings = await asyncio.wrap_future(api.models.host.engine.embed(asked))
    except EngineError as error:
        raise of_engine(error, "input") from error
    embedded.model = encoder.id
    embedded.about = {"model": "embedding", "pooling": pooling_of(folder)}
    embedded.vectors += embeddings.vectors
    embedded.tokens += embeddings.tokens


async def _prompt(folder: Path, name: str | None) -> str:
    """Return what the model in a folder wants before a text. Raises `errors.ApiError`."""
    try:
        return await asyncio.to_thread(prompt_for, folder, name)
    except EngineError as error:
        raise of_engine(error) from error


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
