"""One rank of a cluster, as a process: `python -m engine.cluster.rank`.

Its parent talks to it only over standard input and output, a JSON object a line: the first line holds the secret, and
signs of life follow. When they stop, or the input ends, the rank has a few seconds to end, even if it waits for other
ranks: a process that is killed may leave its wired memory behind on macOS. Started without arguments, this process is a
keeper: it starts the rank as another process, passes the lines on, and kills it, even suspended, if it has not ended.
"""

from __future__ import annotations

import json
import logging
import mmap
import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from engine.cluster.messages import TO_ENGINE, TO_LEADER, TO_RANK, ToLeader, as_plain, from_plain
from engine.cluster.ring_watch import RingWatch, open_sockets
from engine.computers.errors import ClusterError
from engine.computers.hosts import listen_at
from engine.computers.keeper import BEAT_S, ENDING_S, SILENT_S, keep
from engine.computers.versions import versions
from engine.machine.keep_awake import KeepAwake
from engine.settings import EngineSettings
from engine.wire.channel import Channel
from engine.wire.handshake import Listener, connect

if TYPE_CHECKING:
    from engine.upkeep.main_loader import MainLoader

log = logging.getLogger(__name__)

INNER = "--inner"
# A rank ends if it cannot allocate this many bytes: if a thread of MLX's failed, all ranks would wait for ever.
LEAST_BYTES = 2**20
# Seconds for the ranks to find each other.
RANK_CONNECTION_S = 60.0
# Seconds by which the last rank joins later, so that the other ranks listen by then.
AHEAD_S = 0.1

# The hosts of the other ranks by their numbers, and the channels to them.
Followers = dict[int, tuple[str, Channel[ToLeader]]]


def main(arguments: list[str]) -> int:
    """Run the keeper, or with the argument INNER the rank itself."""
    # Ctrl-C is handled by the process that drives the ranks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if INNER not in arguments:
        return keep([*own_command(), INNER])
    # Output of libraries must not be read as messages.
    output = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s", stream=sys.stderr)
    _Rank(output).run()
    return 0


def own_command() -> list[str]:
    """Return the command that starts this module again, in a frozen app too."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "cluster", "rank"]
    return [sys.executable, "-m", "engine.cluster.rank"]


class _Rank:
    """The rank; it writes messages for its parent to `output`."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._lock = threading.Lock()

    def run(self) -> None:
        """Do what the order on the standard input says, as rank 0 or another one, until the cluster ends.

        Then leave.
        """
        order = _next_order()
        self._rank = int(order["rank"])
        self._size = int(order["size"])
        self._secret = bytes.fromhex(order["secret"])
        self._host = str(order["hosts"][self._rank])
        with listen_at(str(order["address"])) as free:
            self._ring = int(free.getsockname()[1])
        # Other threads, and Python's start of a thread, wait for ever for a thread that failed, so it ends the rank.
        threading.excepthook = lambda unhandled: self._fail(
            unhandled.exc_value or RuntimeError(unhandled.exc_type.__name__)
        )
        sys.unraisablehook = self._unraisable
        try:
            if self._rank == 0:
                self._lead(order)
            else:
                self._follow(order)
        except BaseException as error:
            self._fail(error)
        self._exit_at_once(0)

    def _places(self, control: int = 0, client: int = 0) -> dict[str, Any]:
        """Report where this rank listens, and wait for the places of all ranks, which have imported their modules then.

        MLX gives up on a rank that does not listen within a few seconds, and machines are not equally fast.
        """
        self._tell(listening={"ring": self._ring, "control": control, "client": client, "versions": versions()})
        places = _next_order()
        threading.Thread(target=self._watch, name="rank-watch", daemon=True).start()
        threading.Thread(target=self._beat, name="rank-beat", daemon=True).start()
        return places

    def _unraisable(self, unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, MemoryError):
            self._fail(unraisable.exc_value)
        sys.__unraisablehook__(unraisable)

    def _fail(self, error: BaseException) -> NoReturn:
        """Report the error if possible, and end the process."""
        try:
            log.error("the rank has failed", exc_info=error)
            if isinstance(error, ClusterError):
                self._lost(error)
            else:
                self._tell(failed=f"{type(error).__name__}: {error}"[:300])
        finally:
            self._exit_at_once(1)

    def _lead(self, order: Mapping[str, Any]) -> None:
        """Be rank 0: wait for the other ranks, and serve an engine to the app."""
        from engine.cluster.server import serve
        from engine.engine import Engine

        control = Listener(listen_at(str(order["address"])), self._secret, TO_LEADER)
        client = Listener(listen_at("127.0.0.1"), self._secret, TO_ENGINE)
        joined: Future[None] = Future()

        def loader() -> MainLoader:
            from engine.cluster.leader import Leader

            try:
                places = self._places(control.port, client.port)
                followers = self._followers(control, order["hosts"])
                control.close()
                leader = Leader(self._join(order, places), self._host, followers, str(order["split"]), self._lost)
            except BaseException as error:
                joined.set_exception(error)
                raise
            joined.set_result(None)
            return leader

        engine = Engine(from_plain(order["settings"], EngineSettings), loader)
        joined.result()
        self._tell(ready=True)
        _, channel = client.accept()
        client.close()
        serve(engine, channel, self._fail)

    def _followers(self, control: Listener[ToLeader], hosts: list[str]) -> Followers:
        """Accept the connections of all other ranks. Raises `ClusterError` ("slow-start") if one does not come."""
        followers: Followers = {}
        while len(followers) < self._size - 1:
            try:
                number, channel = control.accept(RANK_CONNECTION_S)
            except TimeoutError as error:
                missing = next(rank for rank in range(1, self._size) if rank not in followers)
                raise ClusterError("slow-start", hosts[missing], f"{RANK_CONNECTION_S:.0f}") from error
            followers[number] = hosts[number], channel
        return followers

    def _follow(self, order: Mapping[str, Any]) -> None:
        """Be another rank: join rank 0, and follow it until the channel closes."""
        from engine.cpu_backend.backend import choose_device

        choose_device()
        from engine.cluster.follower import Follower

        places = self._places()
        host, port = places["control"]
        channel = connect((str(host), int(port)), self._secret, TO_RANK, self._rank)
        if self._rank == self._size - 1:
            # In a ring it connects to rank 0; MLX tries a rank that does not listen yet again only after a second.
            time.sleep(AHEAD_S)
        follower = Follower(self._join(order, places), channel)
        self._tell(ready=True)
        # It sleeps with its cluster only: when rank 0 asks for a pass, this machine must be awake.
        KeepAwake("Tandem computes with other computers").keep(True)
        follower.run()

    def _join(self, order: Mapping[str, Any], places: Mapping[str, Any]) -> Any:
        """Join the group of all ranks, and watch its connections."""
        before = open_sockets()
        group = _join(self._rank, places["ring"])
        RingWatch(open_sockets() - before, self._ring, lambda step: self._lost_neighbour(order["hosts"], step))
        return group

    def _lost_neighbour(self, hosts: list[str], step: int) -> None:
        neighbour = hosts[(self._rank + step) % self._size]
        self._lost(ClusterError("ended", neighbour, f"its connection with {hosts[self._rank]} was lost"))

    def _lost(self, error: ClusterError) -> None:
        self._tell(lost=as_plain(error))

    def _watch(self) -> None:
        """End when the parent's signs of life stop; nothing else comes from it any more."""
        while select.select([0], [], [], SILENT_S)[0] and os.read(0, 65536):
            pass
        # The connection to its client, or to rank 0, ends with this input, and then the rank ends by itself.
        time.sleep(ENDING_S)
        self._exit_at_once(1)

    def _beat(self) -> None:
        """Give a sign of life every BEAT_S seconds, for ever; ends the rank if the memory runs out."""
        while True:
            try:
                check_memory(self._host)
            except ClusterError as error:
                self._fail(error)
            self._tell(beat=1)
            time.sleep(BEAT_S)

    def _tell(self, **message: Any) -> None:
        """Send a message to the parent; leaves if that is gone."""
        try:
            with self._lock:
                self._output.write(json.dumps(message) + "\n")
                self._output.flush()
        except OSError:
            # The parent is gone.
            self._exit_at_once(1)

    @staticmethod
    def _exit_at_once(code: int) -> NoReturn:
        # Without cleaning up, which could wait for a rank that is gone.
        os._exit(code)


def check_memory(host: str) -> None:
    """Raise `ClusterError` ("no-memory") of `host` if this process cannot allocate `LEAST_BYTES` more."""
    try:
        mmap.mmap(-1, LEAST_BYTES).close()
    except OSError as error:
        raise ClusterError("no-memory", host, str(error)) from error


def _next_order() -> dict[str, Any]:
    """Return the next message that is no sign of life. Raises `EOFError` at the end of the input."""
    while line := sys.stdin.readline():
        order: dict[str, Any] = json.loads(line)
        if "beat" not in order:
            return order
    raise EOFError


def _join(rank: int, places: list[list[str]]) -> Any:
    """Join the group of all ranks, which listen at `places`, with the variables that `mlx.launch` sets too."""
    import mlx.core as mx

    with tempfile.TemporaryDirectory(prefix="tandem-ranks-") as folder:
        hosts = Path(folder) / "hosts.json"
        hosts.write_text(json.dumps(places), encoding="utf-8")
        os.environ |= {"MLX_RANK": str(rank), "MLX_HOSTFILE": str(hosts)}
        return mx.distributed.init(strict=True, backend="ring")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
