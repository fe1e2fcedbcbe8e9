"""A Mac is kept awake while the engine works, and only then; an answer says what slowed it down."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import ChatRequest, Engine, Event, Finished, ModelNotUsable, starter_pair
from engine.settings import EngineSettings
from tests.engine.machine.objective_c import Runtime
from tests.patience import wait_until

WORK = ["Tandem answers or loads a model"]


def test_the_engine_keeps_a_mac_awake_while_it_loads_and_answers(mac: Runtime, tmp_path: Path) -> None:
    during: list[list[str]] = []
    with Engine(EngineSettings()) as engine:
        engine.status().result()
        assert not mac.open
        loading = engine.load(starter_pair()[0])
        loading.add_done_callback(lambda _: during.append([*mac.open.values()]))
        loading.result()
        wait_until(lambda: not mac.open)
        request = ChatRequest([{"role": "user", "content": "What is a draft model?"}], max_tokens=8)
        mac.low_power = True
        events: list[Event] = []

        def receive(event: Event) -> None:
            during.append([*mac.open.values()])
            events.append(event)

        engine.submit(request, receive)
        wait_until(lambda: bool(events) and isinstance(events[-1], Finished) and not mac.open)
        assert isinstance(events[-1], Finished)
        assert events[-1].stats.slowed == "low-power"
        # A load that fails keeps nothing awake either.
        with pytest.raises(ModelNotUsable):
            engine.load(tmp_path / "missing").result()
        wait_until(lambda: not mac.open)
    assert all(one == WORK for one in during)
    assert not mac.leaks
