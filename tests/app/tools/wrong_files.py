"""Files with servers that are wrong, by what is wrong with each; and one that is right, as other programs write it."""

from __future__ import annotations

import json


def wrong(**fields: object) -> str:
    return json.dumps({"mcpServers": {"files": fields}})


WRONG = [
    "not json", '{"mcpServers": {}}', "[]", '{"mcpServers": {"": {"command": "npx"}}}',
    '{"mcpServers": {"Tandem": {"command": "npx"}}}', '{"mcpServers": {"files": "npx"}}', wrong(command=5), wrong(),
    wrong(command="npx", url="https://localhost"), wrong(command="npx", args="-y"), wrong(command="npx", args=[1]),
    wrong(command="npx", env=["A=1"]), wrong(command="npx", env={"A": None}), wrong(url="localhost:80"),
    wrong(url="https://localhost", headers={"A": {}}), wrong(url="https://localhost", type="sse"), "[" * 100_000,
]  # fmt: skip
RIGHT = """{
  // Written by hand.
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "server", "/tmp"], "env": {"KEY": "secret", "PORT": 80}, "icon": "x"},
    "remote": {"type": "http", "url": "https://localhost/mcp", "headers": {"Authorization": "Bearer secret"}},
    "off": {"command": "uvx", "disabled": true}
  },
  "theme": "dark"
}"""
