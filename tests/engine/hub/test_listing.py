"""A repository's listing: the files that a model needs, and answers that no Hub gives."""

from __future__ import annotations

from typing import Any

import pytest

from engine.hub.listing import describe, list_model
from tests.engine.hub.downloading import pages, refused

COMMIT = "a" * 40
CONFIG = {"type": "file", "path": "config.json", "size": 10, "oid": "b" * 40}
WEIGHTS = {"type": "file", "path": "model.safetensors", "size": 9, "oid": "x", "lfs": {"size": 2**30, "oid": "c" * 64}}


def test_the_files_of_all_pages_are_listed_small_ones_first() -> None:
    listing = list_model(
        pages([WEIGHTS], [CONFIG, {"type": "directory", "path": "x.json"}, "odd"]), "org/model", COMMIT
    )
    assert [(file.name, file.size, file.digest) for file in listing.files] == [
        ("config.json", 10, "b" * 40),
        ("model.safetensors", 2**30, "c" * 64),
    ]
    assert listing.total_bytes == 2**30 + 10


def test_heads_beside_the_model_are_part_of_it_and_other_weights_are_not() -> None:
    """Conversions keep heads under such names because mlx-lm ignores them."""
    names = ["mtp.safetensors", "mtp/weights.safetensors", "mtp-4bit.safetensors", "model-mtp.safetensors"]
    names += ["dflash/dflash_draft_model.safetensors", "dflash/mask_embedding.pt", "mask_embedding.pt"]
    names += ["2_Dense/model.safetensors", "1_Pooling/config.json"]
    others = ["consolidated.safetensors", "adapter/x.safetensors", "mtp/run.py", "mtp.bin", "dflash/dflash.py", "x.pt"]
    files = [{**WEIGHTS, "path": name} for name in (*names, *others)]
    listing = list_model(pages([CONFIG, WEIGHTS, *files]), "org/model", COMMIT)
    assert {file.name for file in listing.files} == {"config.json", "model.safetensors", *names}


@pytest.mark.parametrize("page", [{}, [{**CONFIG, "size": -1}], [{**CONFIG, "oid": "short"}], [{**CONFIG, "oid": 7}]])
def test_an_answer_of_another_kind_of_server_is_a_wrong_mirror(page: Any) -> None:
    with refused("wrong-mirror"):
        list_model(pages(page), "org/model", COMMIT)


@pytest.mark.parametrize("page", [[], [CONFIG], [WEIGHTS], [{**CONFIG, "path": f"{n}.json"} for n in range(5001)]])
def test_a_repository_without_mlx_weights_is_no_model(page: Any) -> None:
    with refused("not-mlx"):
        list_model(pages(page), "org/model", COMMIT)


@pytest.mark.parametrize("answer", [[], {}, {"sha": "main"}])
def test_a_revision_without_a_commit_is_a_wrong_mirror(answer: Any) -> None:
    with refused("wrong-mirror"):
        describe(pages(answer), "org/model")


def test_a_revision_that_can_be_none_is_not_asked_for() -> None:
    with refused("revision-missing"):
        describe(pages(), "org/model", "../main")
