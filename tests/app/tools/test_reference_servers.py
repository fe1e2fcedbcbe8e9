"""The reference servers of the protocol, as their registries have them: `-m campaign` installs and runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.tools.servers import Server
from tests.app.tools.conftest import Hosts

pytestmark = pytest.mark.campaign
SCOPE = "@modelcontextprotocol/server-"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of their commands."""
    folder = tmp_path_factory.mktemp("servers")
    if not shutil.which("npm"):
        pytest.skip("npm is not here")
    packages = [f"{SCOPE}filesystem", f"{SCOPE}everything"]
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, *packages], check=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", "mcp-server-time", "mcp-server-fetch"], check=True)
    for program in (folder / "node_modules" / ".bin").glob("mcp-server-*"):
        os.symlink(program, folder / "bin" / program.name)
    return folder / "bin"


def test_each_reference_server_is_called(hosts: Hosts, programs: Path, tmp_path: Path) -> None:
    (tmp_path / "hello.txt").write_text("Hello from a file.")
    given = {"time": (), "fetch": ("--allow-private-ips",), "filesystem": (str(tmp_path),), "everything": ()}
    servers = [
        Server(name=name, command=str(programs / f"mcp-server-{name}"), args=arguments).as_approved()
        for name, arguments in given.items()
    ]
    tools = {(tool.server, tool.name): tool for tool in hosts.start(*servers)}
    assert [hosts.host.status(name).error for name in given] == [None] * 4

    def text(server: str, name: str, **arguments: object) -> str:
        return hosts.call(tools[server, name], **arguments).text

    assert "Asia/Seoul" in text("time", "get_current_time", timezone="Asia/Seoul")
    assert "127.0.0.1:1" in text("fetch", "fetch", url="http://127.0.0.1:1/page")
    assert text("filesystem", "read_text_file", path=str(tmp_path / "hello.txt")) == "Hello from a file."
    assert "Access denied" in text("filesystem", "read_text_file", path="/etc/hosts")
    assert text("everything", "get-sum", a=1, b=2) == "The sum of 1 and 2 is 3."
    assert "[A picture of " in text("everything", "get-tiny-image")
