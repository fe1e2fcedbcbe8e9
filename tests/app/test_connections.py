"""Nothing listens or connects but what SECURITY.md says, as the system's calls tell."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.app.free_port import free_port
from tests.patience import PATIENCE_S, wait_until

pytestmark = pytest.mark.campaign
PORT = free_port()
SYSTEM_CALL = re.compile(r"(connect|bind|sendto)\(\d+, .*?sa_family=AF_(INET6?|UNIX)(.*)")
# Commands, what ends their start, and the addresses at which they may listen, and to which they may connect or send.
STARTS: dict[str, tuple[list[str], str, set[str], set[str]]] = {
    "window": ([], "raise", {"socket of the user"}, set()),
    "serve": (["serve", "--port", str(PORT)], "::1", {f"127.0.0.1:{PORT}", f"[::1]:{PORT}"}, set()),
    "list": (["models", "list"], "", set(), set()),
    "chat": (["chat", "--max-tokens", "2", "Hi"], "", set(), set()),
    "ps": (["ps"], "", set(), {"127.0.0.1:8642"}),
    # The first address is of documentation: to find its own, a datagram's socket is bound without sending any.
    "doctor": (["doctor", "--no-speed"], "", set(), {"192.0.2.1:9", "224.0.0.1:9"}),
}


def addresses(trace: str, folder: Path) -> tuple[set[str], set[str]]:
    """Return where the processes of a trace listened, and where they connected or sent to."""
    listened, reached = set[str](), set[str]()
    for call, family, rest in SYSTEM_CALL.findall(trace):
        if family == "UNIX":
            path = rest.partition('sun_path="')[2].partition('"')[0]
            address = "socket of the user" if stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700 else path
            # Where the path in the folder would be too long, it is in /tmp.
            assert path.startswith((str(folder), "/tmp/tandem-")) or call != "bind"
        else:
            port = re.search(r"htons\((\d+)\)", rest)
            host = re.search(r"\"([\d.a-f:]+)\"", rest)
            assert port is not None
            assert host is not None
            address = f"[{host[1]}]:{port[1]}" if family == "INET6" else f"{host[1]}:{port[1]}"
        (listened if call == "bind" else reached).add(address)
    return listened, reached


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
@pytest.mark.parametrize("name", STARTS)
def test_only_what_is_said_listens_and_connects(name: str, own_home: Path) -> None:
    words, until, listens, connects = STARTS[name]
    trace, temporary = own_home / "trace", own_home / "tmp"
    temporary.mkdir()
    calls = ["strace", "-f", "-qq", "-e", "trace=connect,bind,sendto", "-e", "signal=none", "-o", str(trace)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        [*calls, sys.executable, "-m", "app", *words],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        if until:
            wait_until(lambda: trace.exists() and until in trace.read_text())
            # The library is looked through, and the models are calibrated.
            time.sleep(20)
            ours = psutil.Process(process.pid).children(recursive=True)
            assert {child.rlimit(psutil.RLIMIT_CORE)[0] for child in ours} == {0}
        else:
            process.wait(PATIENCE_S)
        found = addresses(trace.read_text(), temporary)
    finally:
        for child in psutil.Process(process.pid).children(recursive=True) if process.poll() is None else ():
            child.kill()
        process.wait(PATIENCE_S)
    print(name, *found)
    assert found == (listens, connects)
