"""Rank 0's side of a cluster: it loads main models together with the other ranks, and announces every pass to them.

It belongs to the engine's thread of rank 0; messages from the other ranks arrive on threads of their own.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.advice.fit import ModelSize
from engine.cluster import messages
from engine.cluster.errors import failure_of
from engine.cluster.mirrored_caches import Journal, MirroredCaches, MirroredModel
from engine.cluster.plan import choose_split, part_of
from engine.cluster.splitting import LastExchange, SplitPart, run_pass, shared_ids
from engine.computers.errors import ClusterError
from engine.computers.model_identity import fingerprint, portable_name
from engine.errors import EngineError, ModelNotUsable, is_device_failure
from engine.files.steps import Steps, result_of
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import OnProgress, load_in_steps
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import resolve_model
from engine.upkeep.main_loader import MainLoader
from engine.wire.channel import Channel
from engine.wire.messages import ChannelClosed, WireMessage

log = logging.getLogger(__name__)


class Leader(MainLoader):
    """Leads the other ranks: `followers` maps their numbers to their hosts and channels; `host` is rank 0's.

    `lost(error)` is called, on any thread, when one of them is lost.
    """

    one_at_a_time = True

    def __init__(
        self,
        group: mx.distributed.Group,
        host: str,
        followers: Mapping[int, tuple[str, Channel[messages.ToLeader]]],
        split: str,
        lost: Callable[[ClusterError], None],
    ) -> None:
        self._group = group
        self._host = host
        self._split = split
        self._lost = lost
        self._followers = dict(followers)
        # The kinds of caches of each rank, once it has loaded its part.
        self._loads: dict[int, Future[list[str]]] = {}
        self._latest_load = 0
        self._lock = threading.Lock()
        self._closed = False
        for rank in self._followers:
            threading.Thread(target=self._listen, args=(rank,), name=f"rank-{rank}", daemon=True).start()

    def load(
        self,
        main: str | Path,
        kv_bits: int | None,
        streaming: Callable[[], bool],
        on_progress: OnProgress,
        context: int | None,
    ) -> Steps[LoadedModel]:
        """Load a main model on all ranks.

        Raises `ModelNotUsable`, and `ClusterError` if a rank has other files or no room for its part, or if the model
        cannot be divided.
        """
        path = resolve_model(main)
        split = choose_split(ModelFolder(path).config, self._group.size(), self._split)
        self._latest_load += 1
        with self._lock:
            self._loads = {rank: Future() for rank in self._followers}
        self._send(
            messages.LoadPart(self._latest_load, portable_name(main), fingerprint(path), kv_bits, split, context)
        )
        part = SplitPart(self._group, split, lambda: self._barrier(part))
        try:
            loaded = yield from load_in_steps(main, kv_bits, streaming, on_progress, part)
        except BaseException:
            self._send(messages.Unload())
            raise
        assert part.tail is not None
        return self._together(loaded, part.tail)

    def unloaded(self) -> None:
        """Make the other ranks drop the main model, too."""
        self._send(messages.Unload())

    def size_here(self, size: ModelSize) -> ModelSize:
        """Return the size of this rank's part. Raises `ClusterError` if the ranks cannot divide the model."""
        split = choose_split(size.config, self._group.size(), self._split)
        return part_of(size, split, self._group.rank(), self._group.size())

    def close(self) -> None:
        """Stop following the other ranks; they end when they find the connection closed."""
        self._closed = True
        for _, channel in self._followers.values():
            channel.close()

    def _barrier(self, part: SplitPart) -> Steps[None]:
        """Wait, in steps, until all ranks have loaded.

        Raises `ClusterError` if one has not, or has other kinds of caches.
        """
        for rank, loaded in self._loads.items():
            kinds = yield from result_of(loaded)
            if kinds != part.kinds:
                # All ranks have to roll back in the same way.
                detail = f"{', '.join(part.kinds)} on {self._host}, {', '.join(kinds)} on {self._followers[rank][0]}"
                raise ClusterError("cannot-split", detail=detail)
        self._send(messages.AllLoaded())

    def _together(self, loaded: LoadedModel, tail: LastExchange) -> LoadedModel:
        """Return the model with passes that run on all ranks."""
        mirrored = MirroredModel(loaded.new_caches, Journal(self._send))
        model = loaded.model
        base = type(loaded.model)
        leader = self

        def call(model: nn.Module, inputs: mx.array, cache: Any = None) -> mx.array:
            assert isinstance(cache, MirroredCaches)
            return leader._pass(lambda ids, cache: base.__call__(model, ids, cache=cache), inputs, cache, tail)

        model.__class__ = type(base.__name__, (base,), {"__call__": call, "__module__": base.__module__})
        values = {field.name: getattr(loaded, field.name) for field in fields(LoadedModel)}
        return _LoadedTogether(**values, mirrored=mirrored)

    def _pass(
        self, call: Callable[..., mx.array], inputs: mx.array, caches: MirroredCaches, tail: LastExchange
    ) -> mx.array:
        """Send the changes of caches, and run a pass together with the other ranks.

        An error that is not of the device ends the cluster, because the other ranks would wait.
        """
        caches.journal.flush(caches.number, inputs.shape)
        try:
            ids = shared_ids(inputs, inputs.shape, self._group)
            return run_pass(call, ids, caches, tail)
        except Exception as error:
            # A failed device is reported after the pass was launched. For all else, the other ranks would wait.
            if not is_device_failure(error):
                self._lost(failure_of(error, self._host))
            raise

    def _send(self, message: WireMessage) -> None:
        for rank, (host, channel) in self._followers.items():
            try:
                channel.send(message)
            except ChannelClosed as error:
                self._lose(rank, ClusterError("ended", host, str(error)))

    def _listen(self, rank: int) -> None:
        """Handle the messages of one rank on a thread; a closed channel is the loss of the rank."""
        host, channel = self._followers[rank]
        try:
            while (message := channel.receive()) is not None:
                self._on_message(rank, host, message)
        except ChannelClosed as error:
            self._lose(rank, ClusterError("ended", host, str(error)))

    def _on_message(self, rank: int, host: str, message: messages.ToLeader) -> None:
        """Settle the load that a rank has answered, or report that it has failed.

        Answers to earlier loads are ignored.
        """
        if isinstance(message, messages.Loaded | messages.LoadRefused):
            with self._lock:
                future = self._loads.get(rank) if message.number == self._latest_load else None
            if future is not None and not future.done():
                if isinstance(message, messages.Loaded):
                    future.set_result(message.kinds)
                else:
                    future.set_exception(_of_host(message.error, host))
        elif isinstance(message, messages.RankFailed):
            self._lose(rank, _of_host(message.error, host))

    def _lose(self, rank: int, error: ClusterError) -> None:
        """Report the loss of a rank, and end a load that waits for it."""
        if self._closed:
            return
        with self._lock:
            future = self._loads.get(rank)
        if future is not None and not future.done():
            future.set_exception(error)
        self._lost(error)


@dataclass(frozen=True, eq=False, kw_only=True)
class _LoadedTogether(LoadedModel):
    """A main model that is divided over ranks."""

    mirrored: MirroredModel

    def new_caches(self) -> list[Any]:
        return self.mirrored.new()


def _of_host(error: EngineError, host: str) -> ClusterError:
    """Return a rank's error with the name of its machine."""
    if isinstance(error, ClusterError):
        return ClusterError(error.reason, host, error.detail)
    if isinstance(error, ModelNotUsable) and error.reason == "no-room":
        return ClusterError("no-memory", host, error.detail)
    return ClusterError("no-model", host, error.brief)
