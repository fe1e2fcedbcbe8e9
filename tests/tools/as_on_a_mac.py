"""Runs tests under rules of macOS that Linux can play.

    python -m tests.tools.as_on_a_mac RULE ... -- [PYTEST_ARGUMENT ...]

Without arguments it prints the rules. Each is a class below, which says what a Mac does, what is played of it, and the
source. What is left out:

- Names of files on APFS, which keeps them as they are written and finds them in any case and normalisation (Apple's
  "Apple File System Guide", its questions and answers). A kernel of Linux does that on a tmpfs with the option
  casefold, if it is built with CONFIG_UNICODE; replaced functions of `os` would reach neither SQLite nor Qt.
- The options of BSD's commands: neither the app nor the engine starts `ps` or the like.
- `sys.platform`: modules choose their imports by it.
"""

from __future__ import annotations

import errno
import importlib.util
import inspect
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The rules that the plugin, this module, applies in each process of pytest.
VARIABLE = "TANDEM_MAC_RULES"
_NAMESPACE = ["unshare", "--user", "--map-root-user", "--net"]
# Loopback of a new namespace has no address until it is up, and 127.0.0.0/8 then.
_ONE_ADDRESS = """
ip link set lo up && ip address delete 127.0.0.1/8 dev lo && ip address add 127.0.0.1/32 dev lo &&
ip route add 127.0.0.0/8 dev lo src 127.0.0.1 && exec "$@"
"""


@dataclass
class PlayedRun:
    """How pytest is started: its environment, and the commands that start the next one, outermost first.

    Rules may leave files in `folder`, which is removed after the run.
    """

    folder: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    starters: list[str] = field(default_factory=list)

    def put_on_path(self, name: str, script: str) -> None:
        """Put a command of this name before all others."""
        command = self.folder / "bin" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(f"#!/bin/sh\n{script}\n")
        command.chmod(0o755)
        self.environment["PATH"] = f"{command.parent}{os.pathsep}{self.environment['PATH']}"


class Rule:
    """A difference between macOS and Linux."""

    def prepare(self, run: PlayedRun) -> None:
        """Change how pytest is started. RuntimeError says why this machine cannot play the rule."""

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        """Change a process of pytest, before it imports a test."""


class CpuDevice(Rule):
    """MLX has Metal, but computes on the CPU.

    The Macs of GitHub are virtual, and CI sets TANDEM_DEVICE there. In the wheels for macOS `metal.is_available()` is
    true whatever the default device is, and the wired limit can be set (mlx/backend/metal/metal.cpp). mlx-vlm's own
    kernels run on the virtual GPU there, as `mx.fast.metal_kernel` does without a stream (mlx/backend/metal_kernel.cpp
    of 0.32.4); mlx-lm's ask for the default device first. Nothing can run a kernel here, so mlx-vlm is told that there
    is no Metal, and takes the operations that it has instead.
    """

    def prepare(self, run: PlayedRun) -> None:
        run.environment["TANDEM_DEVICE"] = "cpu"

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        # It loads OpenBLAS, which has to come before MLX.
        importlib.import_module("engine")
        import mlx.core as mx

        def is_available() -> bool:
            caller: str = sys._getframe(1).f_globals["__name__"]
            return not caller.startswith("mlx_vlm.")

        patch.setattr(mx.metal, "is_available", is_available)
        patch.setattr(mx, "set_wired_limit", lambda _limit: 0)


class Loopback(Rule):
    """127.0.0.1 is the only IPv4 address of loopback; Linux has all of 127.0.0.0/8.

    On macOS lo0 has 127.0.0.1, ::1 and fe80::1 (`ifconfig lo0`), and binding 127.0.0.2 fails with EADDRNOTAVAIL, though
    there is a route to it (`netstat -rn`). All processes are in a network namespace where this is so. A machine that
    allows none has only the bindings of pytest's own processes refused.
    """

    def prepare(self, run: PlayedRun) -> None:
        if _has_namespaces():
            run.starters += [*_NAMESPACE, "sh", "-c", _ONE_ADDRESS, "sh"]

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        bind = socket.socket.bind

        def refuse(self: socket.socket, address: object) -> None:
            host = address[0] if self.family == socket.AF_INET and isinstance(address, tuple) else ""
            if host.startswith("127.") and host != "127.0.0.1":
                raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
            bind(self, address)  # type: ignore[arg-type]

        patch.setattr(socket.socket, "bind", refuse)


class TemporaryFolder(Rule):
    """The temporary folder is behind a link, and its path is long.

    On macOS TMPDIR is a path like /var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/, and /var is a link to /private/var
    (`confstr(_CS_DARWIN_USER_TEMP_DIR)`). The address of a Unix socket has 104 bytes there. The path that is played is
    as long.
    """

    LENGTH = len("/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/")

    def prepare(self, run: PlayedRun) -> None:
        private = run.folder / "private" / "var"
        without_name = len(f"{run.folder}/var/folders/zz//T/")
        folder = Path("folders", "zz", "z" * (self.LENGTH - without_name), "T")
        (private / folder).mkdir(parents=True)
        (run.folder / "var").symlink_to(private, target_is_directory=True)
        run.environment["TMPDIR"] = f"{run.folder / 'var' / folder}/"


class Version(Rule):
    """Python says that macOS 26 is 16.

    Python and pip do so if they were built with an SDK before 26 (https://github.com/python/cpython/issues/135675).
    What `platform` says of the system stays Linux.
    """

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(platform, "mac_ver", lambda *_: ("16.6", ("", "", ""), "arm64"))


class Locale(Rule):
    """No variable names a language or an encoding.

    launchd sets none for a program that is opened in the Finder; Python's file names are UTF-8 there all the same
    (https://docs.python.org/3/c-api/init_config.html#c.PyConfig.filesystem_encoding).
    """

    def prepare(self, run: PlayedRun) -> None:
        for name in [name for name in run.environment if name in ("LANG", "LANGUAGE") or name.startswith("LC_")]:
            del run.environment[name]


class OpenFiles(Rule):
    """A process has at most 256 files open.

    That is launchd's soft limit (`launchctl limit maxfiles`), which a program that is opened in the Finder has; Linux
    has 1,024 or more.
    """

    def prepare(self, run: PlayedRun) -> None:
        run.starters += ["sh", "-c", 'ulimit -S -n 256 && exec "$@"', "sh"]


class Clang(Rule):
    """C++ is compiled by clang, with libc++.

    Apple's command-line tools have no other compiler. Played by the system's clang, or by that of the package ziglang.
    """

    def prepare(self, run: PlayedRun) -> None:
        if shutil.which("clang++"):
            run.put_on_path("clang++", f'exec "{shutil.which("clang++")}" -stdlib=libc++ "$@"')
        elif importlib.util.find_spec("ziglang"):
            # libc++ is compiled once, not in the home of each test.
            run.environment["ZIG_GLOBAL_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "tandem-zig")
            run.put_on_path("clang++", f'exec "{sys.executable}" -m ziglang c++ "$@"')
        else:
            raise RuntimeError("clang: needs clang with libc++, or `pip install ziglang`")


RULES: dict[str, Rule] = {
    "cpu": CpuDevice(),
    "loopback": Loopback(),
    "temporary": TemporaryFolder(),
    "version": Version(),
    "locale": Locale(),
    "files": OpenFiles(),
    "clang": Clang(),
}


def pytest_configure(config: pytest.Config) -> None:
    """Apply the rules to this process of pytest; its plugin is this module."""
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    for name in os.environ[VARIABLE].split():
        RULES[name].patch(patch)


def run_pytest(names: list[str], arguments: list[str]) -> int:
    """Run pytest under the named rules and return its exit code. RuntimeError says which rule cannot be played."""
    # A short path, also where a test that has a long temporary folder calls this.
    with tempfile.TemporaryDirectory(prefix="tandem-mac-", dir="/tmp") as folder:
        run = PlayedRun(Path(folder).resolve())
        run.environment[VARIABLE] = " ".join(names)
        for name in names:
            RULES[name].prepare(run)
        command = [*run.starters, sys.executable, "-m", "pytest", "-p", __spec__.name, *arguments]
        return subprocess.run(command, cwd=ROOT, env=run.environment, check=False).returncode


def _has_namespaces() -> bool:
    """Whether this machine lets its user make a network namespace, and has the command that sets its addresses."""
    if not all(shutil.which(command) for command in (_NAMESPACE[0], "ip")):
        return False
    return subprocess.run([*_NAMESPACE, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    names = arguments[: arguments.index("--")] if "--" in arguments else arguments
    unknown = [name for name in names if name not in RULES]
    if unknown or not names:
        for name, rule in RULES.items():
            print(f"{name}: {inspect.getdoc(rule)}\n")
        return 2
    try:
        return run_pytest(names, arguments[len(names) + 1 :])
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
