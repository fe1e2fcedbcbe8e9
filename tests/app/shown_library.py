"""A library with given content, that of a machine with 32 GB, without a disk, a network or a thread."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from app.library.entries import Entry, MemoryBudget, from_catalog, pair_offers
from app.library.inventory import Inventory
from app.library.library import Library
from app.settings.store import SettingsStore
from app.system.background import Background
from engine.advice.catalog import load_catalog
from engine.advice.fit import ModelSize, check_fit, memory_for_models
from engine.advice.pairing import PairAdvice
from engine.advice.speedup import SpeedupEstimate
from engine.hub.download_state import DownloadStatus

MEMORY = 32_000_000_000
LIMIT = memory_for_models(MEMORY)
MAIN, DRAFT, LARGER, FOREIGN = (
    f"mlx-community/{name}"
    for name in ("Qwen3-8B-4bit", "Qwen3-0.6B-4bit", "Qwen3-1.7B-4bit", "SmolLM2-135M-Instruct-4bit")
)
# Too large for one Mac with that memory.
TOGETHER = "mlx-community/Llama-3.3-70B-Instruct-4bit"
WIDE, LLAMA_DRAFT = "mlx-community/Qwen3-4B-4bit", "mlx-community/Llama-3.2-1B-Instruct-4bit"
_QWEN3_8B = {
    "model_type": "qwen3",
    "hidden_size": 4096,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 12288,
    "vocab_size": 151936,
    "rms_norm_eps": 1e-6,
    "rope_theta": 1e6,
    "tie_word_embeddings": False,
    "max_position_embeddings": 40960,
}
_SHORT = (("needed", 22_500_000_000), ("free", 21_300_000_000))
ADVICE = (
    PairAdvice(DRAFT, "installed", "same", (), 340_000_000, SpeedupEstimate(1.9), best=True),
    PairAdvice(LARGER, "catalog", "same", (), 968_000_000, SpeedupEstimate(1.4)),
    PairAdvice("", "lookup", "lookup", (), 0, None),
    PairAdvice(FOREIGN, "installed", "different", (("shared", 41),), 80_000_000, None),
    PairAdvice(WIDE, "installed", "too-large", (("share", 49),), 2_270_000_000, SpeedupEstimate(1.0)),
    PairAdvice(LLAMA_DRAFT, "catalog", "no-room", _SHORT, 695_000_000, None),
)  # fmt: skip


def path_of(id_: str) -> str:
    return f"models/{id_.rsplit('/', 1)[-1]}"


@cache
def stocked() -> Inventory:
    """Qwen3 8B with three drafts, a folder with a missing file, and the whole catalog."""
    here = {MAIN, DRAFT, FOREIGN, WIDE}
    entries = _entries(here)
    by_id = {entry.id: entry for entry in entries}
    fit = check_fit(
        ModelSize(MAIN, by_id[MAIN].bytes, _QWEN3_8B), ModelSize(DRAFT, by_id[DRAFT].bytes, {}), 8192, LIMIT
    )
    installed = [replace(by_id[id_], source="cache", path=path_of(id_), draft="", draft_name="") for id_ in here]
    installed = [
        replace(entry, draft=DRAFT, draft_name="Qwen3 0.6B", fit=fit) if entry.id == MAIN else entry
        for entry in installed
    ]
    broken = Entry(
        "mlx-community/Phi-4-mini-instruct-4bit", "cache", "Phi-4 mini", path_of("a/phi"), bits=4, installed=True,
        problem="incomplete", detail="model.safetensors",
    )  # fmt: skip
    return _inventory((*sorted(installed, key=lambda one: one.id), broken), entries)


@cache
def bare() -> Inventory:
    """A first run with only the starter pair."""
    return _inventory((), _entries(()))


def _entries(installed: Collection[str]) -> tuple[Entry, ...]:
    catalog, budget = load_catalog(), MemoryBudget(8192, LIMIT)
    return tuple(from_catalog(model, catalog, installed, budget) for model in catalog.models.values())


def _inventory(installed: tuple[Entry, ...], entries: tuple[Entry, ...]) -> Inventory:
    both = ("main", "draft")
    starter = (
        Entry("draft", "starter", "draft", "starter/draft", 3_000_000, roles=both, installed=True),
        Entry("main", "starter", "main", "starter/main", 17_000_000, roles=both, draft="draft", installed=True),
    )
    return Inventory((*installed, *starter), entries, pair_offers(load_catalog(), entries, LIMIT), LIMIT, memory=MEMORY)


def downloading(id_: str, state: str = "downloading", **settings: Any) -> DownloadStatus:
    values: dict[str, Any] = {"bytes_done": 5_100_000_000, "bytes_total": 8_320_000_000}
    if state == "downloading":
        values["bytes_per_second"] = 48_000_000.0
    return DownloadStatus(id_, state, **(values | settings))


class InlineBackground(Background):
    """Runs work at once on the calling thread."""

    def run(self, work: Callable[[], Any], then: Any = None, failed: Any = None, owner: Any = None) -> Future[Any]:  # noqa: ARG002
        future: Future[Any] = Future()
        try:
            future.set_result(work())
        except Exception as error:
            if failed is None:
                raise
            failed(error)
            return future
        if then is not None:
            then(future.result())
        return future


class ShownLibrary(Library):
    """A library without a Hub. `asked` has the window's requests to it, in order."""

    def __init__(self, folder: Path, inventory: Inventory | None = None) -> None:
        super().__init__(SettingsStore(folder / "settings.json"))
        self.inventory = inventory or stocked()
        self.asked: list[tuple[str, ...]] = []
        self.shown_advice = ADVICE
        self.background = InlineBackground("library", parent=self)

    def start(self) -> None:
        """Do nothing: there are no files to read."""

    def advice(self, path: str) -> tuple[PairAdvice, ...] | None:
        return self.shown_advice if path == path_of(MAIN) else ()

    def show(self, *downloads: DownloadStatus) -> None:
        self._take_downloads(downloads)
        self._timer.stop()

    def get(self, *repositories: str) -> None:
        self.asked += [("add", repository) for repository in repositories]

    def pause(self, repository: str) -> None:
        self.asked.append(("pause", repository))

    def resume(self, repository: str) -> None:
        self.asked.append(("resume", repository))

    def cancel(self, repository: str) -> None:
        self.asked.append(("cancel", repository))

    def _call(self, *_: Any, **__: Any) -> None:
        """Do nothing: there is no Hub."""
