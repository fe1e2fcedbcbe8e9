"""A main model and its head from one click to a loaded pair, for each way in which a head is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.library.hub_options import LibraryPaths
from app.library.library import Library
from engine.hub.repository_names import head_name
from tests.app.hub_library import curated
from tests.app.window_driver import WindowDriver
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.tiers import by_tier
from tests.fakehub.server import FakeHub
from tests.tiny_models import FLOAT32, write_model
from tests.tiny_mtp import mtp_tensors, write_mtp_head

MAKERS, MAIN, TAGGED = "makers/Hybrid", "tiny-org/Hybrid-8bit", "labs/q38-MTP"
NAMED = "tiny-org/Hybrid-MTP-8bit"
TAGS = ("mlx", f"base_model:{MAKERS}", f"base_model:quantized:{MAKERS}")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A main model, and a head for it in a folder of its own."""
    folder = tmp_path_factory.mktemp("hybrid")
    text = {**FAMILIES["qwen3_5"]["text_config"], "num_hidden_layers": 8}
    main = write_model(folder / "main", config={"model_type": "qwen3_5", "text_config": text}, stored=FLOAT32)
    return main, write_mtp_head(folder / "head", main)


@pytest.fixture
def way(
    request: pytest.FixtureRequest,
    hub: FakeHub,
    paths: LibraryPaths,
    folders: tuple[Path, Path],
    set_chip: Callable[[str], None],
) -> str:
    """Publish the main model and its head in this way; return the name under which the head is installed."""
    set_chip("Apple M4 Max")
    main, head = (_files(folder) for folder in folders)
    name = head_name(MAIN)
    match request.param:
        case "its shards":
            main["model-mtp.safetensors"] = _prefixed(folders[0])
            name = f"{MAIN}/model-mtp.safetensors"
        case "its folder":
            main |= {f"mtp/{file}": content for file, content in head.items()}
            name = f"{MAIN}/mtp"
        case "the original":
            hub.add(MAKERS, {**main, "model-mtp.safetensors": _prefixed(folders[0])})
        case "the catalog":
            name = "labs/drafts"
            hub.add(name, head)
            content = json.loads(paths.catalog.read_text())  # type: ignore[union-attr]
            text = json.dumps(json.loads(main["config.json"])["text_config"]).encode()
            known = curated(MAIN, {**main, "config.json": text}, architecture="qwen3_5", roles=["main"], drafts=[])
            entry = {"id": name, "name": "Hybrid MTP", "kind": "mtp", "made_for": MAKERS, "checked": False}
            content["models"].append(known | {"name": "Hybrid", "bits": 16, "recommended": True})
            content["heads"] = [entry | {"bytes": len(head["model.safetensors"])}]
            paths.catalog.write_text(json.dumps(content))  # type: ignore[union-attr]
        case "its name":
            name = NAMED
            hub.add(name, head, tags=("transformers",))
        case "its tag":
            name = TAGGED
            hub.add(name, head, tags=("transformers", f"base_model:{MAKERS}"))
    hub.add(MAIN, main, tags=TAGS)
    return name


def _files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def _prefixed(main: Path) -> bytes:
    """Return a file with the head's tensors under the names that makers publish."""
    file = main.parent / "mtp.safetensors"
    mx.save_safetensors(str(file), {f"mtp.{name}": array for name, array in mtp_tensors(main).items()})
    return file.read_bytes()


@pytest.mark.parametrize(
    "way",
    by_tier(
        ["its shards", "its folder", "the original", "the catalog", "its name", "its tag"],
        ["its shards", "the catalog"],
    ),
    indirect=["way"],
)
def test_a_model_comes_with_its_head_after_one_click_and_drafts_with_it(
    way: str, hub_window: WindowDriver, library: Library, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: library.inventory is not None)
    hub_window.trigger("models-page")
    page = hub_window.settings.page("models")
    page.field.setText(MAIN)
    page.field.textEdited.emit(MAIN)
    qtbot.waitUntil(lambda: [card.entry.id for card in page.cards] == [MAIN])
    qtbot.waitUntil(lambda: page.cards[0].facts.text().startswith("With its head"))
    button: QPushButton = page.cards[0].main_button
    button.click()
    qtbot.waitUntil(lambda: "Hybrid is ready." in hub_window.banner_text)
    qtbot.waitUntil(lambda: {status.state for status in library.downloads} == {"ready"})
    qtbot.waitUntil(lambda: way in [entry.id for entry in library.inventory.installed])  # type: ignore[union-attr]
    hub_window.settings.close()
    hub_window.press_banner()
    models = hub_window.session.models
    qtbot.waitUntil(lambda: hub_window.session.answers.ready and not models.pair.loading)
    assert models.pair.main.name == MAIN
    assert models.pair.draft is not None
    assert (models.pair.draft.name, models.pair.draft.kind) == (way, "head")
