"""Switch on the loopback of a new network namespace of Linux, then run a command.

    unshare --user --map-root-user --net python packaging/loopback.py COMMAND [ARGUMENT ...]

https://man7.org/linux/man-pages/man7/netdevice.7.html
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys

# Linux's SIOCSIFFLAGS and IFF_UP.
_SET_FLAGS = 0x8914
_UP = 0x1


def main(command: list[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
