"""Bring the figures of resources/catalog.json up to date from the Hub.

    python packaging/refresh_catalog.py            rewrite the file
    python packaging/refresh_catalog.py --check    only say what has changed; exit code 1 if anything has

Sizes, caches, context lengths, vocabulary sizes and architectures come from the repositories' listings and small files.
People choose the models of the catalog and their drafts.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine.advice.cache_shape import cache_shape
from engine.advice.catalog import NEEDED, load_catalog
from engine.files.paths import resources
from engine.hub.client import HUGGING_FACE, HubAccess, HubClient
from engine.hub.failures import HubError
from engine.hub.search import read_repository
from engine.model_files.cache_counting import CacheShape
from engine.model_files.config import context_length, text_config
from engine.model_files.head_kinds import kind_of_config

Refresh = Callable[[HubClient, dict[str, Any], Path], dict[str, Any]]


def refreshed(client: HubClient, entry: dict[str, Any], keep_in: Path) -> dict[str, Any]:
    """Return the entry with the Hub's current figures. Raises `HubError` when the repository cannot be read."""
    remote = read_repository(client, entry["id"], keep_in)
    size = text_config(remote.config).get("vocab_size")
    wanted = entry.get("config") or dict.fromkeys((*NEEDED, "head_dim", "intermediate_size"))
    numbers = {
        key: value
        for key, value in sorted(text_config(remote.config).items())
        if key in wanted and type(value) in (int, bool) and value > 0
    }
    return entry | {
        "bytes": remote.weight_bytes,
        "bytes_source": "hub",
        "context": context_length(remote.config) or entry.get("context"),
        "vocabulary_size": size if type(size) is int else entry.get("vocabulary_size"),
        "architecture": remote.config.get("model_type", entry["architecture"]),
        # A configuration may list its layers one by one; the entry says how they repeat.
        "config": entry.get("config", {}) | numbers,
        "cache": cache_entry(cache_shape(remote.config)),
    }


def refreshed_head(client: HubClient, entry: dict[str, Any], keep_in: Path) -> dict[str, Any]:
    """Return the entry of a head, and check that its repository has the catalog's kind. Raises `HubError`."""
    remote = read_repository(client, entry["id"], keep_in)
    return entry | {"bytes": remote.weight_bytes, "checked": kind_of_config(remote.config) == entry["kind"]}


class _CatalogEntry(NamedTuple):
    """An entry of the catalog, the list that it is in, its index there, and the function that refreshes it."""

    entries: list[dict[str, Any]]
    number: int
    entry: dict[str, Any]
    refresh: Refresh


def _entries(content: dict[str, Any]) -> Iterator[_CatalogEntry]:
    """Yield the entries of all models and heads."""
    for key, refresh in (("models", refreshed), ("heads", refreshed_head)):
        for number, entry in enumerate(content.get(key, [])):
            yield _CatalogEntry(content[key], number, entry, refresh)


def cache_entry(shape: CacheShape) -> dict[str, Any]:
    """Return the fields that say something, as they stand in the catalog."""
    return {name: value for name, value in json.loads(msgspec.json.encode(shape)).items() if value}


def main() -> int:
    """Refresh every entry, print what has changed and write the file; returns the exit code."""
    parser = argparse.ArgumentParser(description="Bring the catalog's figures up to date from the Hub.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if anything has changed")
    parser.add_argument("--endpoint", default=HUGGING_FACE)
    parser.add_argument("--catalog", type=Path, default=resources() / "catalog.json")
    arguments = parser.parse_args()
    content = json.loads(arguments.catalog.read_text(encoding="utf-8"))
    changed = False
    with tempfile.TemporaryDirectory() as folder, HubClient(HubAccess(arguments.endpoint)) as client:
        for entries, number, entry, refresh in _entries(content):
            try:
                now = refresh(client, entry, Path(folder))
            except HubError as error:
                print(error, file=sys.stderr)
                changed = True
                continue
            for field in now:
                if now[field] != entry.get(field):
                    print(f"{entry['id']}: {field} {entry.get(field)} -> {now[field]}")
                    changed = True
            entries[number] = now
    if changed and not arguments.check:
        content["updated"] = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
        arguments.catalog.write_text(catalog_text(content), encoding="utf-8")
        load_catalog(arguments.catalog)
    return 1 if changed and arguments.check else 0


def catalog_text(content: dict[str, Any]) -> str:
    """Return the file's text with one field a line, so that a changed figure changes one line."""
    parts = []
    for key, value in content.items():
        text = json.dumps(value, ensure_ascii=False)
        if key in ("models", "heads"):
            text = "[\n" + ",\n".join(map(_entry_text, value)) + "\n ]"
        parts.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _entry_text(entry: dict[str, Any]) -> str:
    fields = (f"   {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items())
    return "  {\n" + ",\n".join(fields) + "\n  }"


if __name__ == "__main__":
    sys.exit(main())
