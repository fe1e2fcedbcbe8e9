"""`Cluster`: starts ranks, connects to their common engine, and ends them. Imports no MLX.

An exchange between ranks cannot be interrupted from inside, so `Cluster` watches the ranks: when one of them is lost,
it ends all, and the answers under way end with what they have committed.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from engine.cluster.client import QUIET_S, RemoteEngine
from engine.cluster.launch import RankProcess
from engine.cluster.messages import TO_CLIENT, as_plain
from engine.computers.errors import ClusterError
from engine.computers.hosts import Machines
from engine.computers.versions import other_versions, versions
from engine.settings import EngineSettings
from engine.wire.handshake import connect

log = logging.getLogger(__name__)

# The most seconds in which a rank starts and imports its modules.
RANK_START_S = 60.0
# The most seconds after that in which the ranks find each other.
RANK_READY_S = 60.0
# Seconds to wait after the first sign of a lost rank, to find out which rank was lost first.
SETTLE_S = 0.3


class Cluster:
    """Running ranks on `machines`; `engine`, an `engine.client.EngineClient`, uses all of them.

    Starting takes seconds; if it raises `ClusterError`, no rank is left running. `on_end(error)` is called once, on any
    thread, when the cluster ends without `stop`; every request and every call of `engine` has ended with that error by
    then. `split` is one of `plan.SPLITS`.
    """

    def __init__(
        self,
        machines: Machines,
        settings: EngineSettings | None = None,
        *,
        split: str = "auto",
        on_end: Callable[[ClusterError], None] = lambda _error: None,
    ) -> None:
        self.machines = machines
        self._settings = settings or EngineSettings()
        self._split = split
        self._on_end = on_end
        self._secret = secrets.token_bytes(32)
        self._processes: list[RankProcess] = []
        self._lock = threading.Lock()
        self._ended: ClusterError | None = None
        self._stopped = False
        self._engine: RemoteEngine | None = None
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def engine(self) -> RemoteEngine:
        """The engine of all ranks."""
        assert self._engine is not None
        return self._engine

    @property
    def error(self) -> ClusterError | None:
        """The error with which the cluster ended without `stop`, if it has."""
        return self._ended

    def stop(self) -> None:
        """End all ranks and wait until they have ended; takes up to a few seconds. May be called twice."""
        with self._lock:
            self._stopped = True
        if self._engine is not None:
            self._engine.close()
        self._kill()

    def _start(self) -> None:
        """Start a rank on each machine, let them join, and connect to rank 0.

        Raises `ClusterError`; waits for minutes at most.
        """
        for machine, label in zip(self.machines.all, self.machines.labels, strict=True):
            self._processes.append(RankProcess(machine, label, self._lost))
        hosts = list(self.machines.labels)
        order = {"size": len(hosts), "hosts": hosts, "secret": self._secret.hex(), "split": self._split}
        applied = partial(settings_of_ranks, ranks=len(self.machines.all))
        settings = as_plain(applied(self._settings))
        for rank, process in enumerate(self._processes):
            process.tell(order | {"rank": rank, "address": process.machine.address, "settings": settings})
        places = [process.wait_for("listening", RANK_START_S) for process in self._processes]
        for process, place in zip(self._processes, places, strict=True):
            if other := other_versions(place.get("versions", {}), versions()):
                raise ClusterError("other-version", process.label, other)
        ports = [int(place["ring"]) for place in places]
        for process in self._processes:
            control = [self.machines.all[0].address, places[0]["control"]]
            process.tell({"control": control, "ring": places_of(self.machines, ports)})
        for process in self._processes:
            process.wait_for("ready", RANK_READY_S)
            process.joined = True
        silent = ClusterError("silent", ", ".join(hosts[1:]), f"{QUIET_S:.0f}")
        try:
            channel = connect(("127.0.0.1", int(places[0]["client"])), self._secret, TO_CLIENT)
        except OSError as error:
            raise ClusterError("ended", hosts[0], str(error)) from error
        self._engine = RemoteEngine(channel, self._settings, hosts[0], applied, lambda: self._lost(silent))

    def _lost(self, error: ClusterError) -> None:
        """End the cluster because a rank is lost."""
        with self._lock:
            if self._stopped or self._ended is not None:
                return
            self._ended = error
        # A rank that was killed is the cause, even if another rank, which failed without it, reported first.
        time.sleep(SETTLE_S)
        killed = [error_of_process for process in self._processes if (error_of_process := process.killed) is not None]
        if killed and error.host not in {loss.host for loss in killed}:
            self._ended = error = killed[0]
        log.warning("%s", error)
        if self._engine is not None:
            self._engine.fail(error)
            threading.Thread(target=self._end, args=(error,), name="cluster-end", daemon=True).start()

    def _end(self, error: ClusterError) -> None:
        self._kill()
        self._on_end(error)

    def _kill(self) -> None:
        killing = [threading.Thread(target=process.kill, daemon=True) for process in self._processes]
        for thread in killing:
            thread.start()
        for thread in killing:
            thread.join()


def settings_of_ranks(settings: EngineSettings, ranks: int) -> EngineSettings:
    """Return the settings of the ranks.

    Finished turns stay in the ranks' memory, and the costs of speculation are kept in a file of their own.
    """
    learned = settings.learned_file
    if learned is not None:
        learned = learned.with_name(f"{learned.stem}-{ranks}-machines{learned.suffix}")
    settings = replace(settings, prefix_cache_folder=None, answer_index_folder=None)
    return replace(settings, taught_folder=None, learned_file=learned)


def places_of(machines: Machines, ports: Sequence[int]) -> list[list[str]]:
    """Return where each rank listens for the ring, as MLX reads it from its file of hosts."""
    return [[f"{machine.address}:{port}"] for machine, port in zip(machines.all, ports, strict=True)]
