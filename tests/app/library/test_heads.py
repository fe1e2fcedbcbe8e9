"""Heads in the library: drafts of one main model, never models to chat with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.library.entries import Entry, MemoryBudget, from_catalog, from_installed
from app.library.inventory import Inventory
from app.library.model_choices import ModelChoice, draft_choices, main_choices
from app.models.picker_row import PickerRow
from app.session.model_names import short_name
from app.wording.hub import size_words
from app.wording.models import details_words, draft_words, verdict_words
from engine.advice.catalog import load_catalog
from engine.advice.pairing import PairAdvice, advise
from engine.advice.speedup import SpeedupEstimate
from engine.finding.description import describe_folder
from engine.model_files.names import name_of_snapshot
from tests.app.shown_library import stocked
from tests.engine.heads.golden.cases import CASES
from tests.engine.heads.heads_on_disk import tensors_of, write_head

BUDGET = MemoryBudget(8192, 32 * 2**30)
HEAD = "z-lab/Qwen3-8B-DFlash-b16"


def installed_head(folder: Path) -> Entry:
    case = CASES["full"]
    model = describe_folder(write_head(folder, case.config, tensors_of(case)), HEAD, "cache")
    return from_installed(model, load_catalog(), [model], BUDGET)


def with_head(folder: Path) -> Inventory:
    inventory = stocked()
    return replace(inventory, installed=(*inventory.installed, installed_head(folder)))


def row_of(inventory: Inventory, advice: PairAdvice) -> ModelChoice:
    """Return the row of a draft that this advice is on."""
    rows = draft_choices(inventory, [advice], "", "auto", [], {})
    return next(row for row in rows if row.id == advice.id)


@pytest.mark.first
def test_a_head_is_offered_as_draft_and_never_as_main_model(tmp_path: Path) -> None:
    inventory = with_head(tmp_path)
    assert HEAD not in [choice.id for choice in main_choices(inventory, "", [])]
    advice = [PairAdvice(HEAD, "installed", "head", (), 2 * 10**9, SpeedupEstimate(2.0), best=True)]
    choice = row_of(inventory, advice[0])
    assert (choice.id, choice.kind, choice.usable, choice.path) == (HEAD, "use", True, str(tmp_path))


def test_the_head_inside_a_model_is_offered_under_its_name() -> None:
    name = "mlx-community/Qwen3.5-4B-MLX-4bit-mtp-head"
    advice = [PairAdvice(name, "catalog", "head-inside", (), 2 * 10**8, None)]
    choice = row_of(stocked(), advice[0])
    assert (choice.kind, choice.id, choice.name, choice.usable) == ("get", name, "Qwen3.5 4B MTP", True)
    assert "Only its part" in verdict_words(advice[0])


@pytest.mark.parametrize("inside", ["mtp", "mtp.safetensors", "model-mtp.safetensors", "mtp/weights.safetensors"])
def test_a_head_in_the_folder_of_its_main_model_is_called_by_that(tmp_path: Path, inside: str) -> None:
    assert short_name(f"mlx-community/Qwen3.5-4B-MLX-4bit/{inside}") == ("Qwen3.5 4B MTP", 0)
    path = tmp_path / "Qwen3.5-4B" / ("model-00002-of-00002.safetensors" if inside == "mtp" else inside)
    assert name_of_snapshot(path) == f"Qwen3.5-4B/{inside}"
    snapshot = tmp_path / "models--Qwen--Qwen3.5-4B" / "snapshots" / ("a" * 40)
    assert name_of_snapshot(snapshot / path.relative_to(tmp_path / "Qwen3.5-4B")) == f"Qwen/Qwen3.5-4B/{inside}"


def test_the_picker_says_that_a_head_is_one_and_by_which_method(qtbot: QtBot, tmp_path: Path) -> None:
    advice = PairAdvice(HEAD, "installed", "head", (), 2 * 10**9, SpeedupEstimate(2.0))
    published = PairAdvice(HEAD, "catalog", "head-unchecked", (), 2 * 10**9, SpeedupEstimate(2.0))
    row = PickerRow("draft")
    qtbot.addWidget(row)
    row.show_choice(row_of(with_head(tmp_path), advice))
    assert row.details == "DFlash head\nHead for this model.\nIn memory: 2.0\u00a0GB"
    row.show_choice(row_of(stocked(), published))
    assert row.details.startswith("Published head for this model.")


def test_what_is_published_and_not_read_says_so() -> None:
    best = PairAdvice(HEAD, "catalog", "head-best", (("source", "a bench"),), 2 * 10**9, None)
    assert "a bench" in verdict_words(best)
    catalog = load_catalog()
    for name, unread in (("mlx-community/MiniCPM5-2B-bf16", True), ("mlx-community/Qwen3-4B-8bit", False)):
        words = details_words(from_catalog(catalog.models[name], catalog, (), BUDGET))
        assert ("What its context takes is known once it is downloaded." in words) is unread


NO_GAIN = "Its head: about the same speed until it is measured"


@pytest.mark.parametrize(
    ("chip", "main", "said"),
    [
        # Published: 0.86 with an MTP head, 0.91 at best with DFlash2 and DSpark.
        ("Apple M1 Max", "mlx-community/Qwen3.8-27B-4bit", NO_GAIN),
        ("Apple M1", "ornith-ai/Ornith-1.5-9B-MLX-4bit", NO_GAIN),
        # Published on an M2 Max: 1.02 to 1.51 with DFlash2.
        ("Apple M2", "mlx-community/Muse-Glimmer-30B-4bit", "With its head · about 1.2× as fast"),
        # Published: 2.05 to 3.1 with DFlash2 on an M4 Pro, 1.6 to 4.5 on an M3 Max; larger than its draft model, but
        # much faster.
        ("Apple M4 Max", "mlx-community/Qwen3.8-27B-4bit", "With its head · 1.8× to 2.7× as fast"),
        # Published with MTP heads: 1.37 and, at a few thousand tokens, 1.24 to 1.41 on an M4 Max, 1.59 on an M3 Max.
        (
            "Apple M4 Max",
            "ornith-ai/Ornith-1.5-35B-A3B-MLX-4bit",
            "With its head · 1.3× to 1.6× as fast",
        ),
        # Published for MTP heads of Qwen on an M4 Pro: 1.32 and 1.81.
        ("Apple M4 Max", "ornith-ai/Ornith-1.5-9B-MLX-4bit", "With its head · 1.3× to 1.8× as fast"),
        # Published: about 2, with DSpark.
        (
            "Apple M4 Max",
            "mlx-community/Muse-Glimmer-30B-4bit",
            "With its head · 1.8× to 2.7× as fast",
        ),
    ],
)
def test_a_model_of_the_catalog_says_what_its_head_should_bring_on_this_chip(
    chip: str, main: str, said: str, set_chip: Callable[[str], None]
) -> None:
    set_chip(chip)
    catalog = load_catalog()
    entry = from_catalog(catalog.models[main], catalog, (), MemoryBudget(8192, 96 * 10**9))
    assert draft_words(entry).replace("\u00a0", " ") == said
    assert bool(entry.draft) == (said != NO_GAIN)
    # One click downloads both, or the model alone.
    head = entry.head_found
    assert head is not None
    assert f"Its head: {size_words(head.bytes)}\u00a0· not checked yet" in details_words(entry)
    assert entry.get_bytes == entry.bytes + (head.bytes if entry.draft else 0)


def test_a_head_that_does_not_fit_is_not_its_draft(set_chip: Callable[[str], None]) -> None:
    set_chip("Apple M4")
    catalog = load_catalog()
    main = catalog.models["mlx-community/Muse-Glimmer-30B-4bit"]
    assert from_catalog(main, catalog, (), MemoryBudget(4096, main.bytes + 3 * 10**9)).draft == ""


def test_a_draft_model_that_does_not_fit_is_left_out_of_a_pair(set_chip: Callable[[str], None]) -> None:
    """On a Mac with 8 GB, Qwen3.5 4B can be used and is downloaded alone, and the draft picker says the same."""
    set_chip("Apple M4")
    catalog = load_catalog()
    main = catalog.models["mlx-community/Qwen3.5-4B-MLX-4bit"]
    small, large = (from_catalog(main, catalog, (), MemoryBudget(8192, limit * 2**30)) for limit in (4, 6))
    assert (small.verdict, small.draft, small.get_bytes) == ("fits", "", main.bytes)
    assert large.verdict == "fits"
    assert large.draft
    assert large.get_bytes > main.bytes
    [advice] = [one for one in advise(main, [catalog.models[main.drafts[0]]], 8192, 4 * 2**30) if one.id]
    assert advice.verdict == "no-room"
    # Where not even the main model fits, the sentence is about both.
    tiny = from_catalog(main, catalog, (), MemoryBudget(8192, 2**30))
    assert (tiny.verdict, tiny.draft) == ("too-big", main.drafts[0])


@pytest.mark.parametrize(
    ("chip", "draft"),
    [("Apple M3 Ultra", "mlx-community/Qwen3-0.6B-4bit"), ("Apple M4", "z-lab/Qwen3-8B-DFlash-b16")],
)
def test_a_head_that_is_larger_than_the_draft_model_has_to_be_clearly_faster(
    chip: str, draft: str, set_chip: Callable[[str], None]
) -> None:
    set_chip(chip)
    catalog = load_catalog()
    assert from_catalog(catalog.models["mlx-community/Qwen3-8B-4bit"], catalog, (), BUDGET).draft == draft
