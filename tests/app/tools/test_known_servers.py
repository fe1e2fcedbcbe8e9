"""The known server of files is recognised with its folders, which can be replaced."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.tools.known_servers import KNOWN_SERVERS, files_folders, with_folders
from app.tools.servers import Server

PACKAGE = "@modelcontextprotocol/server-filesystem"


@pytest.mark.parametrize(
    ("command", "args", "folders"),
    [
        ("npx", ("-y", PACKAGE, "/work"), ("/work",)),
        # As other apps write it.
        ("/opt/bin/npx", (PACKAGE, "/work", "/more"), ("/work", "/more")),
        ("npx", ("-y", PACKAGE, "--option", "/work"), ()),
        ("npx", ("-y", "another-server", "/work"), ()),
        ("node", ("server.js", "/work"), ()),
    ],
)
def test_the_folders_of_the_server_of_files_are_known(
    command: str, args: tuple[str, ...], folders: tuple[str, ...]
) -> None:
    assert files_folders(Server(name="mine", command=command, args=args)) == folders


def test_other_folders_keep_the_command_and_the_agreement_to_it() -> None:
    server = Server(name="files", command="npx", args=(PACKAGE, "/work")).as_approved()
    changed = with_folders(server, ["/a", "/b"])
    assert (changed.args, changed.is_approved) == ((PACKAGE, "/a", "/b"), True)
    assert not with_folders(replace(server, approved=""), ["/a"]).is_approved


def test_an_address_has_no_folders() -> None:
    assert files_folders(Server(name="weather", url="https://weather.example/mcp")) == ()
    assert files_folders(KNOWN_SERVERS[1]) == ()
