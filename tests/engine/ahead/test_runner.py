"""A draft runner's process: what it computes with."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest

from engine.ahead import runner
from engine.ahead.messages import ToRunner
from engine.cpu_backend.backend import CPU, DEVICE_VARIABLE, GPU, VARIABLE, backend
from engine.main_model.loaded_model import LoadedModel
from engine.wire.channel import Channel


def test_it_computes_on_the_cpu_without_compiling_beside_an_engine_on_a_gpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, GPU.name)
    monkeypatch.setenv(DEVICE_VARIABLE, "")
    devices: list[object] = []
    monkeypatch.setattr(mx, "set_default_device", devices.append)
    disabled: list[bool] = []
    monkeypatch.setattr(mx, "disable_compile", lambda: disabled.append(True))
    # The cores of this process stay as they are.
    monkeypatch.setattr("os.sched_setaffinity", lambda *_: None, raising=False)
    found: list[tuple[object, ...]] = []

    def serve(channel: Channel[ToRunner], _load: Callable[[], LoadedModel]) -> None:
        found.append((backend(), *disabled))
        channel.close()

    monkeypatch.setattr(runner, "serve", serve)
    ours, theirs = socket.socketpair()
    with ours:
        runner.main([str(theirs.detach()), str(tmp_path)])
    assert devices == [mx.cpu]
    assert found == [(CPU, True)]
