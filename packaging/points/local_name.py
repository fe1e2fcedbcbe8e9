"""Find this Mac by its own name in the network, as another Mac would, and connect to what listens at its address.

Prints the kind of the address.
"""

from __future__ import annotations

import socket
import subprocess

from engine.computers.hosts import listen_at, parse_machine

# Seconds that connecting may take.
CONNECTED_S = 8


def main() -> None:
    """Listen at the address that the name has, and connect to it. Raises `ClusterError` and OSError."""
    command = ["scutil", "--get", "LocalHostName"]
    name = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    address = parse_machine(f"{name}.local").address
    with listen_at(address) as listening:
        port = listening.getsockname()[1]
        socket.create_connection((address, port), timeout=CONNECTED_S).close()
    print(kind_of(address))


def kind_of(address: str) -> str:
    """Return the kind of an address, which says nothing of the network."""
    if ":" not in address:
        return "IPv4"
    return "IPv6 with a scope" if "%" in address else "IPv6"


if __name__ == "__main__":
    main()
