"""Servers of tools that many people use, with which the settings fill in the form of a new one. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from app.tools.servers import Server

# Stands in a command for a folder that the person has to choose.
FOLDER = "FOLDER"
FILES = "files"
# The packages of the protocol's own registry. app/wording/tools.py has their words by name. There is none for the web,
# which Tandem's own tools read and search.
KNOWN_SERVERS = (
    Server(name=FILES, command="npx", args=("-y", "@modelcontextprotocol/server-filesystem", FOLDER)),
    Server(name="time", command="uvx", args=("mcp-server-time",)),
    Server(name="memory", command="npx", args=("-y", "@modelcontextprotocol/server-memory")),
    Server(name="git", command="uvx", args=("mcp-server-git", "--repository", FOLDER)),
)


def files_folders(server: Server) -> tuple[str, ...]:
    """Return the folders of a server that runs the known package for files; () for any other, or one with options."""
    folders = server.args[_folders_at(server) :]
    is_plain = not any(folder.startswith("-") for folder in folders)
    return folders if server.package == KNOWN_SERVERS[0].package and is_plain else ()


def with_folders(server: Server, folders: Sequence[str]) -> Server:
    """Return a server of files with other folders, which the person has chosen.

    If they had agreed to the server, they agree to it with these folders by choosing them.
    """
    changed = replace(server, args=(*server.args[: _folders_at(server)], *folders))
    return changed.as_approved() if server.is_approved else changed


def _folders_at(server: Server) -> int:
    """Return how many arguments of a package runner stand before the folders."""
    return server.args.index(server.package) + 1 if server.package else 0
