"""The models that clients may name. The model of a call is loaded in addition to those of other clients.

A name is only compared with the names and paths of installed models, and never downloaded. Programs often come
with names of their own, so the loaded model answers calls for unknown ones; the reply has its name.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from app.api.engine_host import EngineHost
from app.api.requests import errors
from app.api.requests.bodies import LOADED_MODEL_NAMES
from app.api.requests.errors import ApiError
from engine.errors import EngineError, NoModel
from engine.model_files.encoder_kinds import encoder_family, longest_text
from engine.model_files.model import Model
from engine.model_files.model_folder import ModelFolder
from engine.model_files.pooling import has_pooling, pooling_of
from engine.status import LoadedPair, ModelInfo

# Seconds for which the list of installed models is kept.
_LIST_S = 5.0


class _Scan(NamedTuple):
    """The models of this machine: all, the encoders that run here, and the names of decoders for embeddings."""

    installed: Sequence[Model]
    encoders: dict[str, Model]
    pooled: set[str]


class ModelDirectory:
    """The installed models by name. Used on the server's loop only."""

    def __init__(self, host: EngineHost, most_waiting_s: float) -> None:
        self.host = host
        self._most_waiting_s = most_waiting_s
        self._found: dict[str, Model] = {}
        self._names: dict[Path, str] = {}
        # Models for embeddings alone: those that run here, and the others.
        self._encoders: dict[str, Model] = {}
        self._embedders = set[str]()
        # Models that answer, and were made for embeddings.
        self._pooled = set[str]()
        self._found_at = float("-inf")
        # Held while a model is being changed. Calls that wait for that wait in their order.
        self._turn = asyncio.Lock()
        self.loading = ""

    async def installed(self) -> dict[str, Model]:
        """Return the usable models of this machine by name."""
        if time.monotonic() - self._found_at > _LIST_S:
            scanned = await asyncio.to_thread(self._scan)
            self._encoders = scanned.encoders
            self._pooled = scanned.pooled
            kept_main = self.host.kept.main
            # Of two models with one name, the last counts.
            kept_path = kept_main.path if kept_main is not None else None
            installed = sorted(scanned.installed, key=lambda model: Path(model.path) == kept_path)
            self._found = {model.id: model for model in installed if model.kinds}
            self._embedders = {model.id for model in installed if model.problem == "is-embedding"}
            usable = list(reversed(self._found.values()))
            self._names = {Path(model.gguf.source): model.id for model in usable if model.gguf}
            self._names |= {Path(model.path): model.id for model in usable}
            self._found_at = time.monotonic()
        return self._found

    def _scan(self) -> _Scan:
        """Look for the models of this machine. Reads the disk."""
        installed = self.host.installed()
        pooled = {model.id for model in installed if model.kinds and has_pooling(Path(model.path))}
        return _Scan(installed, _encoders_among(installed), pooled)

    async def named(self, name: str) -> Model | None:
        """Return the usable model that clients call `name`, None if there is none."""
        return (await self.installed()).get(self._listed_name(name))

    async def encoders(self) -> list[Model]:
        """Return the models of this machine that make embeddings and nothing else, and run here.

        Their `context` is the longest text that they read.
        """
        await self.installed()
        return list(self._encoders.values())

    async def encoder(self, name: str) -> Model | None:
        """Return the encoder that clients call `name`, None if it names none."""
        await self.installed()
        return self._encoders.get(name) or self._encoders.get(name.removesuffix(":latest"))

    async def any_named(self, name: str) -> Model | None:
        """Return the usable model or the encoder that clients call `name`, None if there is none."""
        return await self.named(name) or await self.encoder(name)

    def is_refused_encoder(self, name: str) -> bool:
        """Whether clients call a model `name` that makes embeddings and nothing else, and does not run here."""
        name = name.removesuffix(":latest")
        return name in self._embedders and name not in self._encoders

    async def selectable(self) -> list[Model]:
        """Return the models that calls can name: first those that answer, as `chat_model_first`, then the encoders."""
        mains = [model for model in await self.chat_model_first() if "main" in model.kinds]
        return mains + await self.encoders()

    def is_for_embeddings(self, model: Model) -> bool:
        """Whether a listed model was made for embeddings, though it may answer, too."""
        return model.id in self._pooled or model.id in self._encoders

    async def chat_model_first(self) -> list[Model]:
        """Return the usable models, first the one to chat with: clients without a choice take the first.

        It is the main model that the host keeps or has loaded or, if that is not listed, the first that can be one and
        is neither another's draft nor made for embeddings.
        """
        models = list((await self.installed()).values())
        drafts = {self.host.draft_for(model.path) for model in models}
        others = self._pooled | {model.id for model in models if model.path in drafts}
        chosen = self.name_of(self.host.kept.main or self.host.pair.main)
        mains = [model.id for model in models if "main" in model.kinds and model.id not in others]
        first = chosen if chosen in self._found else next(iter(mains), "")
        return sorted(models, key=lambda model: model.id != first)

    @property
    def loaded_names(self) -> tuple[str, ...]:
        """The names of the models that clients or the host have loaded."""
        infos = [info for pair in self.host.pairs for info in (pair.main, pair.draft)]
        return tuple(filter(None, map(self.name_of, infos)))

    def progress_of(self, name: str) -> dict[str, Any]:
        """Return the progress of a model that is being loaded, in bytes; empty for others."""
        if name != self.loading:
            return {}
        done, total = self.host.engine.loading_progress
        return {"loading": {"loaded_bytes": done, "total_bytes": total}}

    def name_of(self, info: ModelInfo | None) -> str:
        """Return the name of a loaded model; "" for None."""
        if info is None:
            return ""
        if (name := self._names.get(info.path)) is not None:
            return name
        return Path(info.name).name if Path(info.name).is_absolute() else info.name

    async def use(self, name: str, draft: str | None = None) -> LoadedPair:
        """Return the models of that name, loading them if necessary; for an unknown name, those of the host.

        With a `draft`, they get that drafter, for all answers from their next round on. Raises `ApiError`.
        """
        wanted = await self._path_of(name)
        drafter = None if draft is None else await self._drafter(draft)
        try:
            async with asyncio.timeout(self._most_waiting_s):
                await self._turn.acquire()
        except TimeoutError as error:
            raise errors.too_busy("Another model is being loaded or waited for. Try again later.", 10) from error
        try:
            pair = self.host.pair if wanted is None else self.host.pair_of(Path(wanted))
            if pair is None:
                assert wanted is not None
                self.loading = name
                pair = await _result(self.host.load_additional(wanted, drafter or self.host.draft_for(wanted)))
            elif drafter is not None and pair.main is not None and pair.draft_path != Path(drafter):
                self.loading = draft or ""
                pair = await self._with_draft(pair, drafter)
        finally:
            self.loading = ""
            self._turn.release()
        if pair.main is None:
            raise errors.of_engine(NoModel())
        return pair

    async def _with_draft(self, pair: LoadedPair, drafter: str | None) -> LoadedPair:
        assert pair.main is not None
        is_own = pair is self.host.pair
        future = self.host.set_draft(drafter) if is_own else self.host.load_additional(str(pair.main.path), drafter)
        changed = await _result(future)
        if changed.draft_problem is not None:
            raise errors.of_engine(changed.draft_problem)
        return changed

    async def _drafter(self, name: str) -> str:
        """Return the folder of the drafter of that name. Raises `ApiError`."""
        model = await self.named(name)
        if model is None or not {"draft", "head"} & set(model.kinds):
            raise _unknown(name, "draft_model")
        return model.path

    async def set_draft(self, name: str | None) -> None:
        """Load the drafter of that name for the host's main model, or none. Raises `ApiError`."""
        if name is None:
            await _result(self.host.set_draft(None))
        else:
            await self.use("", name)

    def is_own(self, model: Model) -> bool:
        """Whether the host itself keeps or has loaded the model."""
        pairs = (self.host.pair, self.host.kept)
        return Path(model.path) in {info.path for pair in pairs for info in (pair.main, pair.draft) if info is not None}

    async def release(self, main: Path) -> None:
        """Unload a main model that clients have loaded."""
        if self.host.client_pairs.pop(main, None) is not None:
            await _result(self.host.engine.unload(main))

    def look_again(self) -> None:
        """Look for the installed models when they are needed next."""
        self._found_at = float("-inf")

    async def _path_of(self, name: str) -> str | None:
        """Return the folder of the main model of that name; None for the loaded one. Raises `ApiError`."""
        # Once names are known, a call for the loaded model does not wait for the disk.
        if not self._found:
            await self.installed()
        name = self._listed_name(name)
        if name in LOADED_MODEL_NAMES or name == self.name_of(self.host.pair.main):
            return None
        model = await self.named(name)
        if name in self._encoders:
            sentence = f"{name!r} makes embeddings and writes no text: name it at /v1/embeddings."
            raise ApiError(404, sentence, param="model", code="model_not_found")
        if self.is_refused_encoder(name):
            sentence = f"{name!r} is for embeddings alone, and does not run here. Name one of GET /v1/models: "
            sentence += "/v1/embeddings takes embeddings from any model that answers."
            raise ApiError(404, sentence, param="model", code="model_not_found")
        if model is None:
            return None
        if "main" not in model.kinds:
            raise _unknown(name, "model")
        return model.path

    def _listed_name(self, name: str) -> str:
        """Return the name in the list of a model that clients may call by its path, or as the one that is kept.

        Programs for Ollama add the tag that its models have by default.
        """
        if name not in self._found:
            name = name.removesuffix(":latest")
        if name in self.host.kept_names:
            return self.name_of(self.host.kept.main)
        return self._names.get(Path(name), name)


async def _result(future: Future[LoadedPair]) -> LoadedPair:
    # Shielded: a client that gives up must not cancel what others wait for.
    try:
        return await asyncio.shield(asyncio.wrap_future(future))
    except EngineError as error:
        raise errors.of_engine(error) from error


def _encoders_among(models: Sequence[Model]) -> dict[str, Model]:
    """Return the encoders that run here by their names. Reads their folders."""
    encoders = {}
    for model in models:
        if model.problem == "is-embedding" and model.path and not model.is_gguf_file:
            with suppress(EngineError):
                folder = ModelFolder(Path(model.path))
                if encoder_family(folder.config) and pooling_of(folder.path):
                    context = longest_text(folder.path, folder.config)
                    encoders[model.id] = replace(model, context=context, weight_bytes=folder.weight_bytes)
    return encoders


def _unknown(name: str, param: str) -> ApiError:
    use = "answer" if param == "model" else "draft"
    sentence = f"No installed model named {name[:100]!r} can {use}; GET /v1/models lists what there is, by `kinds`."
    return ApiError(404, sentence, param=param, code="model_not_found")


def changed_at(model: Model) -> datetime:
    """Return when the model's folder was changed last; 1970 if it is gone."""
    with suppress(OSError):
        return datetime.fromtimestamp(os.stat(model.path).st_mtime, UTC)
    return datetime.fromtimestamp(0, UTC)


def written_size(model: Model) -> str | None:
    """Return a model's number of parameters as "4.0B" or "137M", None if it is not known."""
    if not model.parameters:
        return None
    billions = model.parameters / 1e9
    return f"{billions:.1f}B" if billions >= 1 else f"{billions * 1e3:.0f}M"


def listed(model: Model, *, loaded: bool) -> dict[str, Any]:
    """Return a model as /v1/models shows it, with the fields of OpenAI's, Anthropic's and LM Studio's APIs and ours."""
    changed = changed_at(model)
    owner = model.id.partition("/")[0] if "/" in model.id else "local"
    return {
        "id": model.id,
        "object": "model",
        "created": int(changed.timestamp()),
        "owned_by": owner,
        "type": "model",
        "display_name": model.id,
        "created_at": changed.isoformat(),
        "lifecycle": "active",
        "publisher": owner,
        "arch": model.architecture,
        "compatibility_type": "gguf" if model.is_gguf_file else "mlx",
        "quantization": f"{model.bits or 16}bit",
        "state": "loaded" if loaded else "not-loaded",
        "max_context_length": model.context or 0,
        "loaded": loaded,
        # Only encoders have no other role.
        "kinds": list(model.kinds) or ["embedding"],
        "sees": model.sees,
        "context_length": model.context,
        "bytes": model.weight_bytes,
    }
