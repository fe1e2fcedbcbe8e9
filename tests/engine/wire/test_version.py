"""The version of the handshake is another one whenever an older Tandem cannot read the messages."""

from __future__ import annotations

import inspect
import json
from hashlib import sha256
from typing import Any

import msgspec

from engine.ahead.messages import FromRunner, ToRunner
from engine.cluster import messages as cluster
from engine.errors import BadRequest
from engine.wire import handshake

# The version, and the digest of what peers must agree on. After a change of the messages, raise `handshake.VERSION`.
PINNED = (9, "c9c5ac6c25d34434")
# Keywords of a JSON schema that are treated apart, or that say nothing of what a peer can read.
IGNORED = ("description", "title", "default", "properties")


def needed(schema: Any) -> Any:
    """Return what both ends must agree on: no docstrings, and no fields that a message may lack.

    A message has all its fields in their order, while the records in it are objects: an older peer ignores what it does
    not know there, and takes the default for what is missing.
    """
    if isinstance(schema, list):
        return [needed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    agreed = {key: needed(part) for key, part in schema.items() if key not in IGNORED}
    if "properties" in schema:
        agreed["properties"] = {name: needed(schema["properties"][name]) for name in schema.get("required", ())}
    return agreed


def digest(kinds: dict[str, Any], errors: tuple[type, ...] = ()) -> str:
    """Return a digest of the types `kinds`, by their names, and of `errors` with their arguments."""
    schemas, components = msgspec.json.schema_components(
        list(kinds.values()), schema_hook=lambda kind: {"type": kind.__name__}
    )
    arguments = {error.__name__: list(inspect.signature(error).parameters) for error in errors}
    agreed = [dict(zip(kinds, needed(list(schemas)), strict=True)), needed(components), arguments]
    return sha256(json.dumps(agreed, sort_keys=True).encode()).hexdigest()[:16]


def crossing() -> dict[str, Any]:
    """Return all that crosses to other computers, by the names that tell it apart."""
    messages = {"engine": cluster.ToEngine, "client": cluster.EngineReply, "rank": cluster.ToRank}
    messages |= {"leader": cluster.ToLeader, "echo": cluster.Ping, "runner": ToRunner, "drafts": FromRunner}
    arguments = {f"arguments of {name}": kinds for name, (kinds, _) in cluster.CALLS.items()}
    results = {f"result of {name}": kind for name, (_, kind) in cluster.CALLS.items()}
    return messages | arguments | results | cluster.REPLIES


def test_other_messages_have_another_version() -> None:
    assert (handshake.VERSION, digest(crossing(), cluster._CROSSING)) == PINNED


class Named(msgspec.Struct, tag=True, array_like=True):
    """A message."""

    number: int


class Grown(msgspec.Struct, tag="Named", array_like=True):
    """The message with another field."""

    number: int
    name: str = ""


class Record(msgspec.Struct):
    """A record in a message."""

    title: int


class GrownRecord(msgspec.Struct):
    """The record with a field that it may lack."""

    title: int
    name: str = ""


def test_what_an_older_version_cannot_read_counts() -> None:
    kinds = {"message": Named}
    _, messages = msgspec.json.schema_components([Named, Grown])
    assert needed(messages["Grown"]) != needed(messages["Named"])
    assert digest(kinds, (BadRequest,)) != digest(kinds)
    assert digest(kinds | {"progress": tuple[int, int]}) != digest(kinds)


def test_a_field_that_a_record_may_lack_does_not_count() -> None:
    _, records = msgspec.json.schema_components([Record, GrownRecord])
    assert needed(records["GrownRecord"]) == needed(records["Record"])
    assert needed(records["Record"])["properties"] == {"title": {"type": "integer"}}
