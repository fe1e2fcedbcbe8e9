"""Heads that are found with a model of the Hub: in the catalog, and by the names that publishers give them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from engine.advice.catalog import Catalog
from engine.advice.suggestion import head_for
from engine.hub.client import HubAccess, HubClient
from engine.hub.repository_names import head_name
from engine.hub.search import read_repository
from engine.model_files.model import HeadFacts, Model
from tests.engine.hub.repositories_with_heads import SOURCE, head_bytes, repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.fakehub.server import FakeHub

MAIN = "mlx-community/Qwen3.8-27B-4bit"
SIZES = {"hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 96}
ROOM = 2**40


@pytest.fixture
def client(hub: FakeHub, set_chip: Callable[[str], None]) -> Iterator[HubClient]:
    set_chip("Apple M4 Max")
    hub.add(MAIN, files(1_600_000, model_type="qwen3_5", quantization={"bits": 4, "group_size": 64}))
    with HubClient(HubAccess(hub.endpoint)) as client:
        yield client


def files(size: int, **config: Any) -> dict[str, bytes]:
    return {"config.json": json.dumps({**SIZES, **config}).encode(), "model.safetensors": bytes(size)}


def head(size: int = 24_000) -> dict[str, bytes]:
    return files(size, model_type="qwen3_5_mtp")


def suggested(client: HubClient, catalog: Catalog | None = None) -> str | None:
    found = head_for(client, read_repository(client, MAIN), catalog or Catalog({}), 4096, ROOM)
    return None if found is None else found.id


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("mlx-community/Qwen3.8-27B-MTP-4bit", True),
        ("someone/qwen3.8-27b-mtp", True),
        ("z-lab/Qwen3.8-27B-DFlash2", True),
        ("someone/Qwen3.8-27B-DSpark", True),
        ("makers/Qwen3.8-27B-assistant", True),
        ("someone/Qwen3.8-27B-EAGLE3", True),
        ("someone/Qwen3.8-27B-Instruct", False),
        ("someone/Tuned-Qwen3.8-27B-MTP", False),
        ("mlx-community/Qwen3.6-27B-MTP-4bit", False),
    ],
)
def test_a_head_is_found_by_the_name_of_its_model(client: HubClient, hub: FakeHub, name: str, is_found: bool) -> None:
    # Makers tag their heads as they like.
    hub.add(name, head(), tags=("transformers",))
    assert suggested(client) == (name if is_found else None)


def test_a_head_of_the_catalog_is_found_whatever_it_is_called(client: HubClient, hub: FakeHub) -> None:
    hub.add("someone/drafts", head())
    facts = HeadFacts(made_for="Qwen/Qwen3.8-27B", checked=False)
    catalog = Catalog({}, {"someone/drafts": Model("someone/drafts", "catalog", head="mtp", facts=facts)})
    assert suggested(client, catalog) == "someone/drafts"


@pytest.mark.parametrize("tag", ["base_model:Qwen/Qwen3.8-27B", "base_model:finetune:Qwen/Qwen3.8-27B"])
def test_a_head_is_found_by_the_tag_of_the_model_it_was_made_for(client: HubClient, hub: FakeHub, tag: str) -> None:
    """Conversions and heads alike are tagged with the makers' repository, whatever their names."""
    hub.repositories[MAIN].tags = ("mlx", "base_model:Qwen/Qwen3.8-27B", "base_model:quantized:Qwen/Qwen3.8-27B")
    hub.add("someone/Tuned-Qwen3.8-27B", files(9, model_type="qwen3_5"), tags=("base_model:Qwen/Qwen3.8-27B",))
    hub.add("labs/q38-dspark", head(), tags=("transformers", "base_model:Qwen/Qwen3.8-27B", tag))
    hub.add("labs/q36-dspark", head(), tags=("transformers", "base_model:Qwen/Qwen3.6-27B"))
    assert suggested(client) == "labs/q38-dspark"


def test_the_smaller_of_two_heads_is_found(client: HubClient, hub: FakeHub) -> None:
    hub.add("someone/Qwen3.8-27B-MTP-bf16", head(96_000))
    hub.add("mlx-community/Qwen3.8-27B-MTP-4bit", head())
    assert suggested(client) == "mlx-community/Qwen3.8-27B-MTP-4bit"


@pytest.mark.parametrize("converted", [False, True])
def test_a_head_in_the_files_of_a_model_is_found(client: HubClient, hub: FakeHub, converted: bool) -> None:
    """It comes with these files or, for a conversion that dropped it, in its part of the original ones."""
    hub.add(SOURCE, repository())
    name = f"{SOURCE}/mtp"
    if converted:
        hub.add(MAIN, repository(head=False), tags=("mlx", f"base_model:quantized:{SOURCE}"))
        name = head_name(MAIN)
    main = read_repository(client, MAIN if converted else SOURCE)
    # No other head is looked for.
    hub.add("someone/main-MTP", head())
    found = head_for(client, main, Catalog({}), 4096, ROOM)
    assert found is not None
    assert found.id == name
    assert head_bytes() < found.weight_bytes < head_bytes() + 4096


def test_a_head_that_does_not_fit_beside_its_model_is_not_offered(client: HubClient, hub: FakeHub) -> None:
    hub.add("mlx-community/Qwen3.8-27B-MTP-4bit", head())
    main = read_repository(client, MAIN)
    assert head_for(client, main, Catalog({}), 4096, main.weight_bytes) is None


def test_broken_repositories_of_heads_are_passed_over(client: HubClient, hub: FakeHub, tmp_path: Path) -> None:
    hub.add("someone/Qwen3.8-27B-MTP", {"README.md": b"nothing"})
    hub.add("someone/Qwen3.8-27B-DFlash", head())
    main = read_repository(client, MAIN, tmp_path)
    found = head_for(client, main, Catalog({}), 4096, ROOM, tmp_path)
    assert found is not None
    assert found.id == "someone/Qwen3.8-27B-DFlash"


@pytest.mark.parametrize(("folder", "is_found"), [("mtp", True), ("notes", False)])
def test_a_head_in_a_folder_of_the_models_own_repository_comes_first(
    client: HubClient, hub: FakeHub, folder: str, is_found: bool
) -> None:
    hub.add("mlx-community/Qwen3.8-27B-MTP-4bit", head(), tags=("transformers",))
    hub.add(MAIN, hub.repositories[MAIN].files | {f"{folder}/{name}": content for name, content in head().items()})
    assert suggested(client) == (f"{MAIN}/{folder}" if is_found else "mlx-community/Qwen3.8-27B-MTP-4bit")
