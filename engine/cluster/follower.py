"""A rank above 0, which loads its part of the models that rank 0 names, and repeats the changes in its journal."""

from __future__ import annotations

import gc
import logging
from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.cluster import messages
from engine.cluster.errors import failure_of
from engine.cluster.mirrored_caches import Replay
from engine.cluster.plan import check_room
from engine.cluster.splitting import LastExchange, SplitPart, run_pass, shared_ids
from engine.computers.errors import ClusterError
from engine.computers.model_identity import are_alike, fingerprint, folder_of
from engine.errors import EngineError
from engine.files.steps import Steps
from engine.main_model.loading import load_part
from engine.speculation.caches.cache_rules import flatten, leaves
from engine.upkeep.memory import memory_use, size_on_disk
from engine.wire.channel import Channel
from engine.wire.messages import ChannelClosed

log = logging.getLogger(__name__)

# A pass of at least this many tokens reads a prompt; its memory is released before the next pass.
PROMPT_ROWS = 32


class _Abandoned(Exception):
    """Rank 0 has given up loading this model."""


class Follower:
    """Follows rank 0 over `channel`, on the thread that makes it."""

    def __init__(self, group: mx.distributed.Group, channel: Channel[messages.ToRank]) -> None:
        self._group = group
        self._channel = channel
        self._replay: Replay | None = None

    def run(self) -> None:
        """Repeat the calls of rank 0 until it is gone. Raises any error that makes this impossible."""
        try:
            while (message := self._channel.receive()) is not None:
                if isinstance(message, messages.LoadPart):
                    self._load(message)
                elif isinstance(message, messages.Unload):
                    self._unload()
                elif isinstance(message, messages.Changes) and self._replay is not None:
                    self._replay.repeat(message)
        except ChannelClosed as error:
            log.info("rank 0 is gone: %s", error)
        except Exception as error:
            self._channel.send(messages.RankFailed(failure_of(error)))
            raise

    def _load(self, wanted: messages.LoadPart) -> None:
        """Load this rank's part and be ready to repeat rank 0's changes; tells rank 0 if it cannot be loaded."""
        self._unload()
        part = SplitPart(self._group, wanted.split, lambda: self._barrier(wanted.number, part))
        try:
            folder = folder_of(wanted.name)
            if not are_alike(fingerprint(folder), wanted.files):
                raise ClusterError("other-model", detail=wanted.name)
            if wanted.context is not None:
                whole = size_on_disk(folder, wanted.kv_bits)
                rank = self._group.rank()
                ranks = self._group.size()
                check_room(whole, wanted.split, rank, ranks, wanted.context, memory_use().free)
            model, new_caches = load_part(folder, wanted.kv_bits, part)
        except _Abandoned:
            return
        except EngineError as error:
            self._channel.send(messages.LoadRefused(wanted.number, error))
            return
        tail = part.tail
        assert tail is not None

        def run(caches: list[Any], shape: Sequence[int]) -> mx.array:
            return self._pass(model, caches, shape, tail)

        self._replay = Replay(new_caches, run)

    def _barrier(self, number: int, part: SplitPart) -> Steps[None]:
        self._channel.send(messages.Loaded(number, part.kinds))
        if not isinstance(self._channel.receive(), messages.AllLoaded):
            raise _Abandoned
        return
        yield

    def _pass(self, model: nn.Module, caches: list[Any], shape: Sequence[int], tail: LastExchange) -> mx.array:
        """Run this rank's part of a pass; returns the ids, which rank 0 sends. Long prompts are waited for."""
        ids = shared_ids(None, shape, self._group)
        run_pass(model, ids, caches, tail)
        arrays = [array for cache in flatten(caches) for array in leaves(vars(cache))]
        if shape[-1] >= PROMPT_ROWS:
            mx.eval(arrays)
            mx.clear_cache()
        else:
            mx.async_eval(arrays)  # type: ignore[no-untyped-call]
        return ids

    def _unload(self) -> None:
        self._replay = None
        gc.collect()
        mx.clear_cache()
