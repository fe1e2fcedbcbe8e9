"""Odd tools in a server's list: those whose meaning is plain are mended, others are left out and named."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import anyio
import pytest

from app.tools.listing import MOST_UNREAD, arguments_schema, with_mended_messages
from app.tools.servers import Server
from app.tools.tool import LONGEST_INSTRUCTIONS
from app.wording.tools import server_state
from engine.call_forms.table import FORMS
from engine.grammars.grammar import calls_of
from tests.app.tools.conftest import Hosts, hostile

NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
TEXT = {"type": "string"}
# Schemas as servers write them, and what is meant; None if nobody can tell.
SCHEMAS: list[tuple[Any, dict[str, Any] | None]] = [
    ({}, NOTHING),
    (None, NOTHING),
    (True, NOTHING),
    # As PHP writes an empty object.
    ([], NOTHING),
    ({"type": "object", "properties": [], "required": []}, {"type": "object"}),
    ({"type": "Object", "properties": {"a": {"type": "STRING"}}}, NOTHING | {"properties": {"a": TEXT}}),
    ({"type": "object", "$schema": 5}, {"type": "object"}),
    (
        {"type": "object", "$defs": {"required": {"type": "string", "required": True}}, "definitions": {"n": None}},
        {"type": "object", "$defs": {"required": TEXT}, "definitions": {"n": {}}},
    ),
    ({"properties": {"a": TEXT}}, {"type": "object", "properties": {"a": TEXT}}),
    ({"anyOf": [{"properties": {"a": TEXT}}]}, {"type": "object", "anyOf": [{"properties": {"a": TEXT}}]}),
    ({"type": ["object", "null"], "properties": {}}, NOTHING),
    ({"type": "object", "properties": None, "required": None}, {"type": "object"}),
    (
        NOTHING | {"properties": {"a": None, "b": {"type": "string", "enum": None}}},
        NOTHING | {"properties": {"a": {}, "b": TEXT}},
    ),
    (NOTHING | {"properties": {"a": {"type": "string", "required": True}}}, NOTHING | {"properties": {"a": TEXT}}),
    (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"n": {"anyOf": [{"type": "number", "minimum": 0, "exclusiveMinimum": True}]}},
        },
        NOTHING | {"properties": {"n": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}]}}},
    ),
    (
        NOTHING | {"properties": {"n": {"maximum": 9, "exclusiveMaximum": False}, "t": {"items": [TEXT, None]}}},
        NOTHING | {"properties": {"n": {"maximum": 9}, "t": {"prefixItems": [TEXT, {}]}}},
    ),
    ("object", None),
    (False, None),
    ({"type": "string"}, None),
    ({"type": ["string", "null"]}, None),
    (NOTHING | {"properties": {"a": {"type": 5}}}, None),
    (NOTHING | {"properties": ["a"]}, None),
    (NOTHING | {"required": "a"}, None),
]  # fmt: skip
# An unresolvable reference allows any value.
LOOSE = {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}, "b": {"$ref": "https://localhost/b.json"}}}


@pytest.mark.parametrize(("written", "meant"), SCHEMAS, ids=lambda one: str(one)[:50])
def test_a_schema_says_what_its_author_meant(written: Any, meant: dict[str, Any] | None) -> None:
    assert arguments_schema(written) == meant


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"},
        LOOSE,
        NOTHING | {"properties": {"a": {"type": "string", "pattern": r"^\p{L}{1,9}$"}}},
    ],
)
def test_a_schema_that_can_be_used_stays_as_the_person_agreed_to_it(schema: dict[str, Any]) -> None:
    assert arguments_schema(schema) is schema


@pytest.mark.first
def test_one_odd_tool_costs_neither_the_others_nor_the_server(hosts: Hosts) -> None:
    found = hosts.start(hostile("odd-tools"))
    assert [(tool.name, tool.parameters, tool.description) for tool in found] == [
        ("missing", NOTHING, ""),
        ("null", NOTHING, ""),
        ("drafts", NOTHING | {"properties": {"n": {"exclusiveMinimum": 0}}}, "d"),
        ("echo", found[-1].parameters, "Returns its text."),
    ]
    status = hosts.host.status("odd-tools")
    assert status.unusable == ("odd notes", "text", "5", "?", "wrong", "odd header", "Echo\u2028")
    server = Server(name="odd-tools", command="x").as_approved()
    assert server_state(server, status).endswith(
        "Unusable tools (7): odd notes, text, 5, ?, wrong, odd header, and Echo\\u2028."
    )
    assert hosts.call(found[0], text="hello").text == "hello"


@pytest.mark.parametrize(
    ("behaviour", "names", "unusable"),
    [
        ("first-page-again", ["missing", "null", "drafts", "echo", "second"], 7),
        ("last-page-again", ["first", "second"], 0),
        ("pages-in-a-circle", ["B", "C", "A"], 0),
    ],
)
def test_a_cursor_that_does_not_advance_ends_the_list_and_nothing_is_said_to_be_lost(
    hosts: Hosts, behaviour: str, names: list[str], unusable: int
) -> None:
    assert [tool.name for tool in hosts.start(hostile(behaviour))] == names
    assert len(hosts.host.status(behaviour).unusable) == unusable


@pytest.mark.full
def test_a_server_s_instructions_are_bounded_and_odd_ones_cost_nothing_else(hosts: Hosts) -> None:
    tool, odd = hosts.start(hostile("instructs"), hostile("instructs-oddly"))
    assert tool.instructions.startswith("Ask for METRIC units. xxx")
    assert (len(tool.instructions), odd.instructions) == (LONGEST_INSTRUCTIONS, "")
    assert tool.fingerprint == replace(tool, instructions="").fingerprint


@pytest.mark.parametrize("form", ["json_tools", "qwen3_coder", "minimax_m3", "gemma4", "pythonic"])
def test_a_mended_tool_can_be_called_in_a_form(form: str) -> None:
    assert form in FORMS
    for schema in (LOOSE, *(meant for _, meant in SCHEMAS if meant)):
        tool = {"type": "function", "function": {"name": "f", "description": "", "parameters": schema}}
        assert calls_of(form, [tool], parallel=True).left_out in (
            (),
            tuple(f"f#/properties/{one}/$ref" for one in "ab"),
        )


def test_a_server_that_leaves_its_answers_unread_is_not_heard_meanwhile() -> None:
    async def run() -> None:
        asked, questions = anyio.create_memory_object_stream[str](1)
        answers, read = anyio.create_memory_object_stream[str]()
        transport = nullcontext((questions, answers))
        async with asked, questions, answers, read, anyio.create_task_group() as group:
            for _ in range(MOST_UNREAD + 1):
                group.start_soon(answers.send, "answer")
            await anyio.wait_all_tasks_blocked()
            await asked.send("question")
            async with with_mended_messages(transport, lambda _: None, lambda: None) as (heard, _):
                with anyio.move_on_after(0.1) as unheard:
                    await heard.receive()
                assert unheard.cancelled_caught
                await read.receive()
                assert await heard.receive() == "question"
            group.cancel_scope.cancel()

    anyio.run(run)
