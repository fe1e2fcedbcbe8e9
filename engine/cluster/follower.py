"""A rank above 0: it loads its part of what rank 0 announces, and follows the journal until the connection ends."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.cluster.codec import encode
from engine.cluster.errors import ClusterError, failure_of
from engine.cluster.fingerprint import are_alike, fingerprint
from engine.cluster.leader import BEAT_S, SILENT_S
from engine.cluster.part import SplitPart, run_pass, shared_ids
from engine.cluster.plan import check_room
from engine.cluster.portable import folder_of
from engine.cluster.replica import Replica
from engine.cluster.splitting import Tail
from engine.cluster.wire import Connection
from engine.errors import EngineError
from engine.loading import load_part
from engine.memory import memory_use, size_on_disk
from engine.speculation.cache_rules import flatten, leaves
from engine.steps import Steps

log = logging.getLogger(__name__)

# From so many tokens on, a pass is a prompt's: what it took is given back before the next one.
PROMPT_ROWS = 32


class _Abandoned(Exception):
    """Rank 0 has given up loading this model."""


class Follower:
    """Follows rank 0 over `connection`, on the thread that makes it."""

    def __init__(self, group: mx.distributed.Group, connection: Connection) -> None:
        self._group, self._connection = group, connection
        self._replica: Replica | None = None
        self._operations: deque[list[Any]] = deque()
        threading.Thread(target=self._beat, name="rank-beat", daemon=True).start()

    def run(self) -> None:
        """Follow until rank 0 is gone. Raises whatever keeps this rank from following."""
        self._connection.set_timeout(SILENT_S)
        try:
            for operation, *arguments in self._announced():
                if operation == "load":
                    self._load(*arguments)
                elif operation == "unload":
                    self._unload()
                elif self._replica is not None:
                    self._replica.carry_out(operation, *arguments)
        except (OSError, EOFError) as error:
            log.info("rank 0 is gone: %s", error)
        except Exception as error:
            self._connection.send({"failed": encode(failure_of(error))})
            raise

    def _announced(self) -> Iterator[list[Any]]:
        while True:
            while self._operations:
                yield self._operations.popleft()
            self._operations.extend(self._connection.receive().get("do", ()))

    def _load(
        self,
        number: int,
        name: str,
        files: Mapping[str, str],
        kv_bits: int | None,
        split: str,
        context: int | None,
    ) -> None:
        self._unload()
        part = SplitPart(self._group, split, lambda: self._meet(number, part))
        try:
            folder = folder_of(name)
            if not are_alike(fingerprint(folder), files):
                raise ClusterError("other-model", detail=name)
            if context is not None:
                whole = size_on_disk(folder, kv_bits)
                check_room(whole, split, self._group.rank(), self._group.size(), context, memory_use().free)
            model, new_caches = load_part(folder, kv_bits, part)
        except _Abandoned:
            return
        except EngineError as error:
            self._connection.send({"number": number, "refused": encode(error)})
            return
        tail = part.tail
        assert tail is not None

        def run(caches: list[Any], shape: Sequence[int]) -> mx.array:
            return self._pass(model, caches, shape, tail)

        self._replica = Replica(
            new_caches, run, lambda serial, found: self._connection.send({"digest": [serial, *found]})
        )

    def _meet(self, number: int, part: SplitPart) -> Steps[None]:
        self._connection.send({"loaded": number, "kinds": part.kinds})
        for operation, *_ in self._announced():
            if operation == "warm":
                break
            raise _Abandoned
        return
        yield

    def _pass(self, model: nn.Module, caches: list[Any], shape: Sequence[int], tail: Tail) -> mx.array:
        ids = shared_ids(None, shape, self._group)
        run_pass(model, ids, caches, tail)
        held = [array for cache in flatten(caches) for array in leaves(vars(cache))]
        if shape[-1] >= PROMPT_ROWS:
            mx.eval(held)
            mx.clear_cache()
        else:
            mx.async_eval(held)  # type: ignore[no-untyped-call]
        return ids

    def _unload(self) -> None:
        self._replica = None
        gc.collect()
        mx.clear_cache()

    def _beat(self) -> None:
        while True:
            time.sleep(BEAT_S)
            try:
                self._connection.send({"beat": 1})
            except OSError:
                return
