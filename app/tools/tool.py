"""What a tool is: its description for the model, the name by which models call it, its permission and its result."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

# The server of the tools that are part of Tandem.
TANDEM = "Tandem"
# The names that OpenAI's API allows for functions, which chat templates were made for.
LONGEST_NAME = 64
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
# What is checked of arguments before a call; the server checks the rest. The patterns and references of a schema, which
# a stranger has written, could take forever.
_CHECKED = ("enum", "properties", "required", "type")


class Permission(StrEnum):
    """Whether a call of a tool runs: after a question, in one chat, always, or never."""

    ASK = "ask"
    CHAT = "chat"
    ALWAYS = "always"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a server. `name` is the server's; `called` is the model's, unique among the tools of a chat.

    `parameters` is the JSON schema of an object. `read_only` is what the server claims. `origin` is the fingerprint of
    the server that has the tool: its command or address.
    """

    server: str
    name: str
    called: str
    title: str
    description: str
    parameters: Mapping[str, Any]
    read_only: bool = False
    origin: str = ""

    def for_template(self) -> dict[str, Any]:
        """Return the description that a chat template takes."""
        function = {"name": self.called, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}

    def problem_with(self, arguments: Mapping[str, Any]) -> str:
        """Return what is wrong with the arguments, in words for the model; "" if nothing is."""
        # Imported by the first call, because few people use tools.
        from jsonschema import Draft202012Validator
        from jsonschema.validators import create

        keywords = {name: Draft202012Validator.VALIDATORS[name] for name in _CHECKED}
        check = create({}, keywords, type_checker=Draft202012Validator.TYPE_CHECKER)
        error = next(check(self.parameters).iter_errors(arguments), None)
        return "" if error is None else f"{error.json_path}: {error.message}"

    @property
    def fingerprint(self) -> str:
        """The digest of all that a person agreed to. A permission holds for this only, whatever `called` is."""
        return digest(
            self.server, self.origin, self.name, self.title, self.description, self.parameters, self.read_only
        )


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call as plain text. `failed`: the tool itself reports an error. `cut`: the text was too long."""

    text: str
    failed: bool = False
    seconds: float = 0.0
    cut: bool = False


def digest(*parts: object) -> str:
    """Return a short digest of values that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def with_distinct_names(tools: Iterable[Tool]) -> list[Tool]:
    """Return the tools with names by which a model can tell them apart, in the same order.

    A tool of Tandem keeps its name. Among the others, those with the same name have their server's name put before it,
    all of them, so that no server can take the name of another's tool.
    """
    tools = list(tools)
    counts = Counter(_allowed(tool.name) for tool in tools)
    taken = {tool.name for tool in tools if tool.server == TANDEM}
    named = []
    for tool in tools:
        called = _allowed(tool.name)
        if tool.server != TANDEM:
            if counts[called] > 1:
                called = _allowed(f"{tool.server}_{tool.name}")
            called = _untaken(called, taken)
            taken.add(called)
        named.append(replace(tool, called=called))
    return named


def _allowed(name: str) -> str:
    return _NOT_IN_NAMES.sub("_", name)[:LONGEST_NAME] or "tool"


def _untaken(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        end = f"_{number}"
        found = name[: LONGEST_NAME - len(end)] + end
    return found
