"""The report of a machine for a cluster, as a command: `tandem cluster report`. Imports no MLX.

The first line of its input names a secret, an address for measuring the link, and a model. The command prints one line,
serves the measurement, and ends with its input.
"""

from __future__ import annotations

import json
import os
import platform
import select
import socket
import sys
import threading
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from engine.advice.fit import working_set_limit
from engine.cluster.messages import ECHO, Echo
from engine.cluster.model_identity import fingerprint, folder_of
from engine.errors import EngineError
from engine.files.system_memory import system_memory
from engine.wire.channel import Channel
from engine.wire.handshake import Listener
from engine.wire.messages import ChannelClosed

PACKAGES = ("tandem-chat", "mlx", "mlx-lm")
# Seconds without input after which the command ends.
_LONGEST_S = 60.0


def own_report(model: str | None) -> dict[str, Any]:
    """Report versions, memory in bytes, and the fingerprint ("files") of `model` (a portable name) or its problem."""
    memory = system_memory()
    report: dict[str, Any] = {
        "versions": {name: _version(name) for name in PACKAGES},
        "system": f"{platform.system()} {platform.mac_ver()[0] or platform.release()}",
        "memory": memory.total,
        "free": min(memory.available, working_set_limit(memory.total)),
        "files": {},
        "problem": "",
    }
    if model is not None:
        try:
            report["files"] = fingerprint(folder_of(model))
        except EngineError as error:
            report["problem"] = str(error)
    return report


def main() -> int:
    """Run the command over standard input and output."""
    order = json.loads(sys.stdin.readline())
    address = str(order.get("address", ""))
    report = own_report(order.get("model"))
    listening = None
    if address:
        try:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            listening = socket.create_server((address, 0), family=family, backlog=1)
        except OSError as error:
            report["link_problem"] = str(error)
    if listening is not None:
        report["port"] = listening.getsockname()[1]
        secret = bytes.fromhex(order["secret"])
        threading.Thread(target=_serve, args=(listening, secret), daemon=True).start()
    print(json.dumps(report), flush=True)
    while select.select([0], [], [], _LONGEST_S)[0] and os.read(0, 4096):
        pass
    os._exit(0)


def _serve(listening: socket.socket, secret: bytes) -> None:
    listener = Listener(listening, secret, ECHO)
    peer = listener.accept()
    listener.close()
    echo(peer.channel)


def echo(channel: Channel[Echo]) -> None:
    """Answer each message of a measurement at once, until the peer closes the channel."""
    try:
        while channel.receive() is not None:
            channel.send(Echo())
    except ChannelClosed:
        channel.close()


def _version(package: str) -> str:
    """Return the version of a package; "" if it is not installed, as Tandem in a checkout."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
