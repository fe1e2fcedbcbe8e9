"""Draft runners behind TCP on threads of this process, as on another computer, with links of any delay."""

from __future__ import annotations

import queue
import secrets
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import mlx.core as mx

from engine.ahead.link import RunnerConnection
from engine.ahead.messages import TO_RUNNER, DraftReply, ToRunner
from engine.ahead.other_computer import connect
from engine.ahead.runner import serve
from engine.main_model.loading import load
from engine.wire.channel import Channel
from engine.wire.handshake import Listener
from engine.wire.messages import ChannelClosed, WireMessage
from tests.engine.ahead.runners import Disturbance, untouched


class _Disturbed:
    """A channel that sends answers as `disturb` changes them."""

    def __init__(self, channel: Channel[ToRunner], disturb: Disturbance) -> None:
        self._channel, self._disturb = channel, disturb

    def send(self, message: WireMessage) -> None:
        for changed in self._disturb(message) if isinstance(message, DraftReply) else [message]:
            self._channel.send(changed)

    def receive(self, timeout_s: float | None = None) -> ToRunner | None:
        return self._channel.receive(timeout_s)


def over_tcp(folder: Path, disturb: Disturbance = untouched, delay_s: float = 0.0) -> RunnerConnection:
    """Start a runner with the model in `folder` behind a link on which each message takes `delay_s` seconds."""
    key = secrets.token_bytes(32)
    listener = Listener(socket.create_server(("127.0.0.1", 0)), key, TO_RUNNER)

    def run() -> None:
        _, channel = listener.accept()
        listener.close()
        try:
            serve(cast("Channel[Any]", _Disturbed(channel, disturb)), lambda: load(folder))
        except (ChannelClosed, EOFError):
            pass
        finally:
            channel.close()
            # Without this the process can abort at exit.
            mx.clear_streams()

    thread = threading.Thread(target=run, name="test-drafter", daemon=True)
    thread.start()
    port = listener.port if delay_s == 0 else slow_link(listener.port, delay_s)
    return RunnerConnection(connect(("127.0.0.1", port), key), lambda: thread.join())


def slow_link(port: int, delay_s: float) -> int:
    """Return a port that leads one peer to `port`; each way takes `delay_s` seconds, whatever else is under way."""
    listening = socket.create_server(("127.0.0.1", 0))

    def join() -> None:
        near, _ = listening.accept()
        listening.close()
        far = socket.create_connection(("127.0.0.1", port))
        for end in (near, far):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for thread in (*_carry(near, far, delay_s), *_carry(far, near, delay_s)):
            thread.join()
        near.close()
        far.close()

    threading.Thread(target=join, daemon=True).start()
    return int(listening.getsockname()[1])


def _carry(source: socket.socket, target: socket.socket, delay_s: float) -> list[threading.Thread]:
    """Carry bytes one way until either end closes, on the threads that are returned."""
    under_way: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()

    def take() -> None:
        chunk = b"begun"
        while chunk:
            try:
                chunk = source.recv(65536)
            except OSError:
                chunk = b""
            under_way.put((time.perf_counter() + delay_s, chunk))

    def give() -> None:
        with suppress(OSError):
            while True:
                due, chunk = under_way.get()
                time.sleep(max(0.0, due - time.perf_counter()))
                if not chunk:
                    break
                target.sendall(chunk)
        for end in (source, target):
            # Either may be closed already.
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    threads = [threading.Thread(target=work, daemon=True) for work in (take, give)]
    for thread in threads:
        thread.start()
    return threads
