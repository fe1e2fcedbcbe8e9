"""A tool: its description for the model, the name by which models call it, its permission and its result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from engine.errors import CodedError

# The server of the tools that are part of Tandem.
TANDEM = "Tandem"
# The names that OpenAI's API allows for functions, which chat templates were made for.
LONGEST_NAME = 64
# Characters of a server's instructions for models: each request carries them.
LONGEST_INSTRUCTIONS = 2000
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
# Signs that Python counts as printable, and that nobody sees. U+FE0F is one, too, but stands behind many an emoji.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0\U000e0100-\U000e01ef]"
)
# Seconds for which nothing may be heard of a call. A build or a search may well work for minutes without a word; only a
# call that its server has lost shall end by itself, because a person can stop any other at once. There is no limit for
# a call that reports progress.
SILENCE_S = 300.0
# Keywords that are checked before a call; the server checks the rest. The patterns and references of a schema, which
# a stranger has written, could take forever.
_CHECKED = ("enum", "properties", "required", "type")


class Permission(StrEnum):
    """Whether a call of a tool runs: after a question, in one chat, always, or never, as a tool that is off."""

    ASK = "ask"
    CHAT = "chat"
    ALWAYS = "always"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a server. `name` is the server's; `called` is the model's, unique among the tools of a chat.

    `parameters` is the JSON schema of an object. What the server claims is `read_only`, and `repeatable` if a second
    call changes nothing more. `origin` is the fingerprint of the server that has the tool: its command or address.
    `instructions` are what that server tells models of all its tools. A tool of Tandem has an origin if its calls leave
    this computer. `site` is the site that a call is for, if a permission is for one site; see `web_sites.site_of`.
    """

    server: str
    name: str
    called: str
    title: str
    description: str
    parameters: Mapping[str, Any]
    read_only: bool = False
    origin: str = ""
    repeatable: bool = False
    instructions: str = ""
    site: str = ""

    def for_site(self, site: str) -> Tool:
        """Return this tool for calls that are for one site; "" for all sites."""
        return replace(self, site=site)

    def for_template(self) -> dict[str, Any]:
        """Return the description that a chat template takes."""
        function = {"name": self.called, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}

    def problem_with(self, arguments: Mapping[str, Any]) -> str:
        """Return the first fault of the arguments, in words for the model; "" if there is none."""
        # Imported by the first call, because few people use tools.
        from jsonschema import Draft202012Validator
        from jsonschema.validators import create

        keywords = {name: Draft202012Validator.VALIDATORS[name] for name in _CHECKED}
        check = create({}, keywords, type_checker=Draft202012Validator.TYPE_CHECKER)
        error = next(check(self.parameters).iter_errors(arguments), None)
        return "" if error is None else f"{error.json_path}: {error.message}"

    @property
    def asks_nobody(self) -> bool:
        """Whether it is a tool of Tandem whose calls stay on this computer, so that a person need not be asked."""
        return self.server == TANDEM and not self.origin

    @property
    def fingerprint(self) -> str:
        """The digest of all that a person agreed to. A permission holds for this only, whatever `called` is."""
        described = self.title, self.description, self.parameters, self.read_only
        # Without a site, it is the fingerprint of versions that knew no sites.
        return digest(self.server, self.origin, self.name, *described, *filter(None, [self.site]))


class ToolFailed(CodedError):
    """A server or a call of its tool failed. The argument `detail`, if any, is a message of the system or a library."""

    def __init__(self, code: str, **arguments: object) -> None:
        named = (f"{name} {value}" for name, value in arguments.items())
        super().__init__(f"{code} ({', '.join(named)})", **arguments)
        self.code = code


@dataclass(frozen=True, slots=True)
class ToolPicture:
    """A picture that was found usable: its file, the SHA-256 of that, its format such as "png", its size in pixels."""

    content: bytes
    digest: str
    kind: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call as plain text, and its pictures. `failed`: the tool itself reports an error.

    `for_person` is text that the server meant for the person only, so that no model reads it.
    """

    text: str
    failed: bool = False
    seconds: float = 0.0
    pictures: tuple[ToolPicture, ...] = ()
    for_person: str = ""


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """A tool's report at a monotonic time: how much is done, of how much (or None), both finite, and a message."""

    done: float
    total: float | None
    message: str
    at: float


def is_visible(text: str) -> bool:
    """Whether a person sees all of a text, which has one line."""
    return text.isprintable() and not _UNSEEN.search(text)


def visible(text: str) -> str:
    """Return a text with invisible characters written out, because a person agrees to the text that they see."""
    shown = list[str]()
    for character in text:
        is_shown = is_visible(character) or character == "\n"
        shown.append(character if is_shown else character.encode("unicode_escape").decode())
    return "".join(shown)


def digest(*parts: object) -> str:
    """Return a short digest of values that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def instructions_of(tools: Iterable[Tool]) -> str:
    """Return the instructions of the servers of these tools for the model, each once; "" if there are none."""
    told = {tool.server: tool.instructions for tool in tools if tool.instructions}
    return "\n\n".join(f'Instructions of "{server}" for its tools:\n{text}' for server, text in told.items())


def with_distinct_names(tools: Iterable[Tool]) -> list[Tool]:
    """Return the tools, in their order, each with a `called` by which a model can tell it from the others.

    A server's name is put before the names of its tools, so that none takes the name of another's tool or of Tandem's.
    Of those that would still be called the same, later ones get a number, so Tandem's come first.
    """
    taken: dict[str, Tool] = {}
    for tool in tools:
        name = tool.name if tool.server == TANDEM else f"{tool.server}_{tool.name}"
        called = allowed = _NOT_IN_NAMES.sub("_", name)[:LONGEST_NAME]
        number = 1
        while called in taken:
            number += 1
            called = f"{allowed[: LONGEST_NAME - len(str(number)) - 1]}_{number}"
        taken[called] = replace(tool, called=called)
    return list(taken.values())
