"""Chat templates that use every filter, test and method that the sandbox allows, with arguments that hurt."""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from engine.errors import EngineError
from engine.main_model.loading import load
from engine.tokenizers.prompt_process import PROMPT_PROCESS
from engine.tokenizers.prompts import PromptJob
from tests.patience import PATIENCE_S
from tests.tiny_models import write_model

pytestmark = pytest.mark.campaign
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
TEMPLATE = """{%- if messages[1].tool_calls -%}{%- set given = messages[1].tool_calls[0].function.arguments -%}
{%- set kind, of, name = given.kind, given.of, given.name -%}
{%- set value, arguments = given.value, given.arguments -%}
{%- set values = {"given": value, "range": range, "cycler": cycler('a'), "joiner": joiner(','),
  "namespace": namespace(a=1), "dict": dict, "now": strftime_now, "raise": raise_exception, "self": self} -%}
{%- set used = values[of] -%}
{%- if kind == 'filter' -%}{{ [used]|map(name, *arguments)|list }}
{%- elif kind == 'test' -%}{{ [used]|select(name, *arguments)|list }}
{%- elif kind == 'call' -%}{{ used(*arguments) }}
{%- elif kind == 'attribute' -%}{{ used|attr(name) }}{{ used[name] }}
{%- else -%}{{ used[name](*arguments) }}{%- endif -%}{%- endif -%}"""
VALUES: tuple[Any, ...] = (
    "ab", "{0.__class__}{a}", "%s%(a)s", "a" * 10**5, [1, 2], [["a"] * 9] * 9, {"a": 1}, 5, -1, 1.5, 10**18, True,
    None,
)  # fmt: skip
ARGUMENTS: tuple[Any, ...] = (
    0, -1, 10**6, 10**10, 2**62, "a", "", "%9999999999d", "{:>9999999999}", "__class__", None,
    "a.__init__.__globals__", "utf-8", "punycode", "zlib", [1], {"a": 1}, True,
)  # fmt: skip
METHODS = sorted(
    {name for value in (str, bytes, list, dict, int, float, tuple) for name in dir(value) if not name.startswith("_")}
)
ESCAPES: tuple[Any, ...] = (
    "__class__", "__init__", "__globals__", "__subclasses__", "__mro__", "__dict__", "__builtins__", "mro",
    "gi_frame", "gi_code", "f_globals", "func_globals", "__code__", "cr_frame", "_TemplateReference__context",
    "environment", "__module__", "__reduce_ex__", "__getattribute__", "__func__", "__self__", "__call__",
    "__wrapped__", "_check_name",
)  # fmt: skip


def job_of(case: dict[str, Any]) -> PromptJob:
    """Return a conversation whose call brings a case to the template: its options are texts and numbers only."""
    call = {"id": "1", "type": "function", "function": {"name": "a", "arguments": case}}
    asked, called = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "", "tool_calls": [call]}
    return PromptJob((asked, called, {"role": "tool", "content": "", "tool_call_id": "1"}), 10**6, 40)


def drawn(source: random.Random) -> dict[str, Any]:
    environment = ImmutableSandboxedEnvironment()
    kind = source.choice(("filter", "filter", "test", "method", "method", "call", "attribute"))
    names = {
        "filter": sorted(environment.filters),
        "test": sorted(environment.tests),
        "method": METHODS,
        "attribute": ESCAPES,
    }
    of = source.choice(("given",) * 6 + ("range", "cycler", "joiner", "namespace", "dict", "now", "raise", "self"))
    count = source.choice((0, 1, 1, 2, 2, 3))
    return {
        "kind": kind,
        "of": of,
        "name": source.choice(names.get(kind, [""])),
        "value": source.choice(VALUES),
        "arguments": [source.choice(ARGUMENTS) for _ in range(count)],
    }


def escapes() -> list[dict[str, Any]]:
    of = ("given", "range", "cycler", "joiner", "namespace", "dict", "now", "raise", "self")
    pairs = itertools.product(of, ESCAPES)
    return [{"kind": "attribute", "of": one, "name": name, "value": "", "arguments": []} for one, name in pairs]


def test_every_filter_test_and_method_ends_within_the_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (write_model(tmp_path / "model") / "chat_template.jinja").write_text(TEMPLATE)
    model = load(tmp_path / "model")
    assert model.prompt_source is not None
    before, draw, outcomes = set(tmp_path.rglob("*")), random.Random(98), Counter[str]()
    for options in (*escapes(), *(drawn(draw) for _ in range(int(2_000 * SIZE)))):
        job = job_of(options)
        try:
            made = PROMPT_PROCESS.start_prompt(model.prompt_source, job).result(PATIENCE_S)
            text = model.tokenizer.decode(made.ids)
            assert "<class 'type'>" not in text, options
            assert "<frame" not in text, options
            assert "__builtins__" not in text, options
            outcomes["made"] += 1
        except EngineError as error:
            outcomes[f"{error.code} {error.arguments.get('reason', '')}"] += 1
    print(dict(outcomes))
    assert set(tmp_path.rglob("*")) == before
