"""A hostile Hub in the search for heads: any answer, with any of its values replaced, ends in a model or a sentence."""

from __future__ import annotations

import copy
import json
import os
import random
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from engine.advice.catalog import Catalog
from engine.advice.suggestion import draft_for, head_for
from engine.hub.client import HubAccess, HubClient
from engine.hub.failures import HubError
from engine.hub.head_plan import find_head
from engine.hub.search import find_gguf, read_repository, search_models
from tests.engine.hub.nasty_hub import answer
from tests.engine.hub.repositories_with_heads import SOURCE, repository
from tests.fakehub.server import FakeHub, Fault

pytestmark = pytest.mark.campaign
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
MAIN, HEAD = "mlx-community/main-4bit", "someone/main-MTP"
ODD: tuple[Any, ...] = (None, -1, 0, 1, 2**31, 2**63, 10**30, 1e308, "", "x", "a" * 10**4, [], {}, [[]], True, False)
ODD += ("../../x", "/etc/passwd", "\u202e", "\0", "\ud800", ["x"] * 2_000, {"a": {"b": {"c": {}}}}, "org/other", 0.5)


def changed(value: Any, source: random.Random) -> Any:
    """Return a copy of a JSON value in which one inner value is another one, or is missing."""
    whole = {"": copy.deepcopy(value)}
    within: Any = whole
    while True:
        keys = list(within) if isinstance(within, dict) else list(range(len(within)))
        key = source.choice(keys)
        if isinstance(within[key], dict | list) and within[key] and source.random() < 0.85:
            within = within[key]
            continue
        if source.random() < 0.15 and key != "":
            del within[key]
        else:
            within[key] = source.choice(ODD)
        return whole.get("")


def with_changed_header(content: bytes, source: random.Random) -> bytes:
    length = int.from_bytes(content[:8], "little")
    header = json.dumps(changed(json.loads(content[8 : 8 + length]), source)).encode()
    return len(header).to_bytes(8, "little") + header + content[8 + length :]


def looked_for(client: HubClient) -> list[Callable[[], Any]]:
    def head() -> Any:
        return head_for(client, read_repository(client, MAIN), Catalog({}), 4096, 2**40)

    def draft() -> Any:
        return draft_for(client, read_repository(client, MAIN), Catalog({}), 4096, 2**40)

    return [
        head,
        draft,
        lambda: find_head(client, MAIN).total_bytes,
        lambda: search_models(client, "main"),
        lambda: find_gguf(client, MAIN, "Q4_0"),
    ]


def test_no_answer_of_a_hub_is_an_error_that_nobody_words(set_chip: Callable[[str], None]) -> None:
    set_chip("Apple M4 Max")
    source, outcomes = random.Random(101), Counter[str]()
    plain = repository(head=False)
    head = {"config.json": plain["config.json"].replace(b'"qwen3_5"', b'"qwen3_5_mtp"', 1), "model.safetensors": b"x"}
    with FakeHub() as hub, HubClient(HubAccess(hub.endpoint)) as client:

        def serve() -> None:
            hub.add(SOURCE, repository())
            hub.add(MAIN, plain, tags=("mlx", f"base_model:quantized:{SOURCE}"))
            hub.add(HEAD, head, tags=(f"base_model:{SOURCE}",))

        serve()
        for look in looked_for(client):
            try:
                look()
            except HubError as error:
                outcomes[f"sound: {error.reason}"] += 1
        asked = sorted({request.split(" ", 1)[1] for request in hub.requests})
        paths = [path for path in asked if path.startswith("/api/")]
        for _ in range(int(600 * SIZE)):
            serve()
            hub.api_faults.clear()
            if source.random() < 0.5:
                path = source.choice(paths)
                with urllib.request.urlopen(hub.endpoint + path) as response:
                    value = changed(json.load(response), source)
                body = json.dumps(value).encode()
                hub.api_faults[unquote(urlsplit(path).path)] = Fault(raw=answer(body))
            else:
                files = hub.repositories[source.choice((SOURCE, MAIN, HEAD))].files
                name = source.choice([name for name in files if files[name] != b"x"])
                whole = name.endswith(".json")
                change = (lambda content: json.dumps(changed(json.loads(content), source)).encode()) if whole else None
                files[name] = change(files[name]) if change else with_changed_header(files[name], source)
            for look in looked_for(client):
                began = time.process_time()
                try:
                    outcomes["none" if look() is None else "found"] += 1
                except HubError as error:
                    outcomes[error.reason] += 1
                assert time.process_time() - began < 10
    print(dict(outcomes))
