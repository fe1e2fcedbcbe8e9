"""Servers of tools that many people use, with which the settings fill in the form of a new one. No Qt."""

from __future__ import annotations

from app.tools.servers import Server

# Stands in a command for a folder that the person has to choose.
FOLDER = "FOLDER"
# The packages of the protocol's own registry, and a search engine. app/wording/tools.py has their words by name.
KNOWN_SERVERS = (
    Server(name="files", command="npx", args=("-y", "@modelcontextprotocol/server-filesystem", FOLDER)),
    Server(name="fetch", command="uvx", args=("mcp-server-fetch",)),
    Server(
        name="brave-search", command="npx", args=("-y", "@brave/brave-search-mcp-server"), values={"BRAVE_API_KEY": ""}
    ),
    Server(name="time", command="uvx", args=("mcp-server-time",)),
    Server(name="memory", command="npx", args=("-y", "@modelcontextprotocol/server-memory")),
    Server(name="git", command="uvx", args=("mcp-server-git", "--repository", FOLDER)),
)
