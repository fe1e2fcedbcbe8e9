"""Several Macs: checks the named machines, starts them together, and returns to this Mac alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.session.model_service import ModelService
from app.system.background import Background
from engine.errors import EngineError, as_engine_error
from engine.settings import EngineSettings

if TYPE_CHECKING:
    # Imported when needed, because few users have several machines.
    from engine.cluster.checks import HostCheck
    from engine.cluster.cluster import Cluster
    from engine.cluster.plan import ClusterPlan

OFF = "off"
CHECKING = "checking"
FETCHING = "fetching"
STARTING = "starting"
ON = "on"
STOPPING = "stopping"
# Reasons that keep a machine from taking part with one model, not with others.
_OF_MODEL = ("no-model", "other-model", "download")


@dataclass(frozen=True)
class CheckResults:
    """The results of a check: one for each machine in their order, and the division of the model.

    `plan` is None without a model, or if the model cannot be divided: `problem` then says why.
    """

    checks: tuple[HostCheck, ...]
    plan: ClusterPlan | None
    problem: EngineError | None = None


class ClusterService(QObject):
    """Owns the cluster. `changed` follows every change of public attributes; `ended` carries a lost cluster's error.

    `state` is one of the constants above. `findings` are the results of the last check, None before it and after
    another choice. `problem` is the reason why the last start failed or the machines ended; None if there is none.
    `hosts` are the names of the machines that answer together. `fetched` has the downloaded and the total bytes of each
    downloading machine.
    """

    changed = Signal()
    ended = Signal(object)
    # The machines are lost. Emitted on the thread that watches them.
    _lost = Signal(object, object)
    # Emitted on the threads of downloads.
    _arrived = Signal(str, object, object)

    def __init__(self, models: ModelService, parent: QObject) -> None:
        super().__init__(parent)
        self._models = models
        self._named = ""
        self._background = Background("several-macs", parent=self)
        self._cluster: Cluster | None = None
        # Counts starts and stops, so that results of earlier starts are dropped.
        self._wanted = 0
        # The paths of main and draft model: on the machines, and here before they were started. None if there are none.
        self._pair: tuple[str, str | None] | None = None
        self._local_models: tuple[str, str | None] | None = None
        self.state = OFF
        self.findings: CheckResults | None = None
        self.problem: EngineError | None = None
        self.hosts: tuple[str, ...] = ()
        self.fetched: dict[str, tuple[int, int]] = {}
        # The folder of the model of the last check, and its context in tokens.
        self._checked_model: tuple[Path | None, int] = None, 0
        self._fetching_stopped = threading.Event()
        self._lost.connect(self._end, Qt.ConnectionType.QueuedConnection)
        self._arrived.connect(self._count, Qt.ConnectionType.QueuedConnection)

    @property
    def named(self) -> bool:
        """Whether any machine was named."""
        return bool(self._named.strip())

    @property
    def can_fetch(self) -> bool:
        """Whether another machine can download missing parts of the model of the last check."""
        return self.findings is not None and any(check.lacks for check in self.findings.checks[1:])

    @property
    def memory(self) -> tuple[int, ...]:
        """The bytes that models may use on each machine of the last check; () where one could not take part."""
        checks = self.findings.checks if self.findings is not None else ()
        # A missing model says nothing about other models.
        ready = all(check.problem is None or check.problem.reason in _OF_MODEL for check in checks)
        return tuple(check.free for check in checks) if ready else ()

    def configure(self, machines: str) -> None:
        """Use other machines, by names or addresses separated by commas, from the next check or start."""
        if machines != self._named:
            self._named = machines
            self.findings = None
            self.problem = None
            self.changed.emit()

    def check(self, main: Path | None, context: int) -> None:
        """Check whether the machines can run the model in the folder `main` with `context` tokens."""
        if self.state == OFF:
            self._checked_model = main, context
            self._set_state(CHECKING)
            work = partial(check_machines, self._named, main, context)
            self._background.run(work, self._checked, self._check_failed, owner=self)

    def fetch(self) -> None:
        """Make the other machines download what the last check found missing, then check again."""
        main = self._checked_model[0]
        if self.state != OFF or self.findings is None or main is None:
            return
        checks = self.findings.checks
        self._fetching_stopped = threading.Event()
        self.fetched = {}
        self.problem = None
        work = partial(fetch_parts, self._named, checks, main, self._arrived.emit, self._fetching_stopped)
        self._set_state(FETCHING)
        self._background.run(work, lambda _: self._fetched(), self._check_failed, owner=self)

    def start(self, main: str, draft: str | None) -> None:
        """Start the machines and load these models on them; `problem` is set if that fails."""
        if self.state != OFF:
            return
        pair = self._models.pair
        named = self._named
        settings = self._models.limits
        if pair.main is not None:
            self._local_models = pair.paths
        self._pair = (main, draft)
        self.problem = None
        self._wanted += 1
        number = self._wanted
        self._set_state(STARTING)
        # A thread for each start, so that one that hangs does not delay the next.
        starting = Background("several-macs-start", parent=self)
        starting.run(
            lambda: start_machines(named, settings, self._lost.emit),
            lambda cluster: self._started(number, cluster),
            lambda error: self._start_failed(number, error),
        )

    def start_again(self) -> None:
        """Start the machines that ended, with the models that they had."""
        if self._pair is not None:
            self.start(*self._pair)

    def stop(self) -> None:
        """Stop the other machines and load the earlier models here; or stop the downloads."""
        self._fetching_stopped.set()
        if self.state not in (STARTING, ON):
            return
        self._wanted += 1
        cluster = self._cluster
        self._cluster = None
        self.hosts = ()
        self._set_state(STOPPING)
        if cluster is not None:
            self._models.activate(None)
            self._background.run(cluster.stop, lambda _: self._stopped(), owner=self)
            self.load_local_models()
        else:
            # `_started` stops the cluster that is still starting.
            self._stopped()

    def load_local_models(self) -> None:
        """Load here the models from before the start of the machines, or the starter pair."""
        if self._local_models is not None:
            self._models.load(*self._local_models)
        else:
            self._models.load_starter()

    def close(self) -> None:
        """End everything, on every machine."""
        self._wanted += 1
        self._fetching_stopped.set()
        self._background.close()
        if self._cluster is not None:
            self._cluster.stop()

    def _set_state(self, state: str) -> None:
        self.state = state
        self.changed.emit()

    def _checked(self, findings: CheckResults) -> None:
        self.findings = findings
        self._set_state(OFF)

    def _count(self, host: str, done: int, total: int) -> None:
        """Show how many bytes a machine has downloaded."""
        if self.state == FETCHING:
            self.fetched[host] = done, total
            self.changed.emit()

    def _fetched(self) -> None:
        self._set_state(OFF)
        self.check(*self._checked_model)

    def _check_failed(self, error: Exception) -> None:
        self.problem = as_engine_error(error)
        self._set_state(OFF)

    def _started(self, number: int, cluster: Cluster) -> None:
        """Answer with the machines, unless they were stopped meanwhile."""
        if number != self._wanted:
            self._background.run(cluster.stop)
            return
        if cluster.error is not None:
            self._start_failed(number, cluster.error)
            return
        self._cluster = cluster
        self.hosts = cluster.machines.labels
        self._models.activate(cluster.engine)
        assert self._pair is not None
        self._models.load(*self._pair)
        self._set_state(ON)

    def _start_failed(self, number: int, error: Exception) -> None:
        if number == self._wanted:
            self.problem = as_engine_error(error)
            self._set_state(OFF)

    def _stopped(self) -> None:
        if self.state == STOPPING:
            self._set_state(OFF)

    def _end(self, cluster: Cluster | None, error: EngineError) -> None:
        """Show that the machines are lost. The model service knows it already, because their engine ended first."""
        if cluster is None or cluster is self._cluster:
            self._cluster = None
            self.hosts = ()
            self.problem = error
            self._set_state(OFF)
            self.ended.emit(error)


def check_machines(named: str, main: Path | None, context: int) -> CheckResults:
    """Check each machine and divide the model among them; takes seconds. Raises `EngineError`."""
    from engine.cluster.checks import check_machines
    from engine.cluster.plan import make_plan, model_size
    from engine.computers.hosts import parse_machines

    machines = parse_machines(named)
    checks = tuple(check_machines(machines, main))
    if main is None:
        return CheckResults(checks, None)
    try:
        free = [check.free or None for check in checks]
        return CheckResults(checks, make_plan(model_size(main), main.name, machines.labels, free, context))
    except EngineError as error:
        return CheckResults(checks, None, error)


def fetch_parts(
    named: str,
    checks: Sequence[HostCheck],
    main: Path,
    on_bytes: Callable[[str, int, int], object],
    stop: threading.Event,
) -> None:
    """Make the other machines download the missing parts. Raises `EngineError`."""
    from engine.cluster.fetch import fetch_missing
    from engine.computers.hosts import parse_machines

    fetch_missing(parse_machines(named), checks, main, on_bytes=on_bytes, stop=stop)


def start_machines(
    named: str, settings: EngineSettings, lost: Callable[[Cluster | None, EngineError], object]
) -> Cluster:
    """Start the machines; takes seconds. `lost` is called when they end unexpectedly. Raises `EngineError`."""
    from engine.cluster.cluster import Cluster
    from engine.computers.hosts import parse_machines

    started: list[Cluster] = []

    def ended(error: EngineError) -> None:
        lost(started[0] if started else None, error)

    started.append(Cluster(parse_machines(named), settings, on_end=ended))
    return started[0]
