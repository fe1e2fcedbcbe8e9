"""Clusters for tests of the window, on scripted engines: no process is started."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from app.session import cluster_service
from engine.computers.errors import ClusterError
from engine.errors import EngineError
from tests.app.scripted_engine import ScriptedEngine

LOST = ClusterError("ended", "studio", "exit code -9")


@dataclass
class FakeCluster:
    """Stands in for `Cluster` in the window, with a scripted engine."""

    lost: Callable[[Any, EngineError], object]
    engine: ScriptedEngine = field(default_factory=ScriptedEngine)
    error: EngineError | None = None
    stopped: int = 0

    @property
    def machines(self) -> Any:
        return SimpleNamespace(labels=("127.0.0.1", "studio"))

    def stop(self) -> None:
        self.stopped += 1
        if not self.engine.closed:
            self.engine.close()

    def lose(self) -> None:
        self.error = LOST
        self.engine.end_by_itself()
        threading.Thread(target=self.lost, args=(self, LOST)).start()


@dataclass
class FakeClusters:
    """The clusters that were started; `problem` keeps the next one from starting, `gate` holds it up."""

    made: list[FakeCluster] = field(default_factory=list)
    problem: EngineError | None = None
    gate: threading.Event = field(default_factory=threading.Event)

    def start(self, _named: str, _settings: object, lost: Callable[[Any, EngineError], object]) -> Any:
        assert self.gate.wait(20)
        if self.problem is not None:
            raise self.problem
        self.made.append(FakeCluster(lost))
        return self.made[-1]


@contextmanager
def fake_clusters(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeClusters]:
    """Replace every cluster that the window starts by a fake one."""
    made = FakeClusters()
    made.gate.set()
    monkeypatch.setattr(cluster_service, "start_machines", made.start)
    yield made
    made.gate.set()
    for one in made.made:
        one.stop()
