"""Models on the Hub: searched for by name, and read from their small files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.library.draft_advice import DraftAdvice
from app.library.entries import Entry, from_search, with_pair
from app.library.hub_connection import HubConnection
from app.library.installed_models import InstalledModels
from engine.advice.catalog import Catalog
from engine.advice.suggestion import draft_for, head_for, mlx_version
from engine.hub.client import HubClient
from engine.hub.failures import HubError
from engine.hub.repository_names import parse_repository, split_tag
from engine.hub.search import find_model, read_repository, search_models
from engine.model_files.model import Model

# How many repositories of GGUF files follow those with weights of MLX.
_GGUF_RESULTS = 10


class RepositorySearch:
    """Asks the Hub, and keeps the small files that it reads in the folder `small_files`. Thread-safe."""

    def __init__(
        self,
        connection: HubConnection,
        installed: InstalledModels,
        advice: DraftAdvice,
        catalog: Catalog,
        small_files: Path,
    ) -> None:
        self._connection = connection
        self._installed = installed
        self._advice = advice
        self._catalog = catalog
        self._small_files = small_files

    def search(self, text: str) -> tuple[Entry, ...]:
        """Return models whose name contains `text`, or the one with this full name or address. Raises `HubError`."""
        client = self._connection.client()
        if "/" in text:
            return self._named(client, parse_repository(split_tag(text)[0]))
        models = search_models(client, text)
        ids = {model.id for model in models}
        in_gguf_files = [
            model for model in search_models(client, text, _GGUF_RESULTS, ("gguf",)) if model.id not in ids
        ]
        return tuple(self._entry_of(model) for model in (*models, *in_gguf_files))

    def _named(self, client: HubClient, name: str) -> tuple[Entry, ...]:
        """Return the model of that name, also a gated one with unreadable files, whose card links its page.

        Before a model in GGUF files comes the same one with MLX weights.
        """
        try:
            model = read_repository(client, name, self._small_files)
        except HubError as error:
            if error.reason not in ("gated", "forbidden"):
                raise
            return (replace(self._entry_of(find_model(client, name)), gated=True),)
        mlx = mlx_version(model, self._catalog, client) if model.is_gguf_file else None
        entry = self._entry_of(model, mlx)
        return (entry,) if mlx is None else (self._entry_of(mlx), entry)

    def read_details(self, entry: Entry, main_path: str, only_result: bool) -> Entry:
        """Return a search result with what its small files say: its memory, and its verdict as a draft.

        There is no verdict if `main_path` is "" or the result is in GGUF files. The only result of a search also gets
        its head or draft model. Raises `HubError`.
        """
        client = self._connection.client()
        model = read_repository(client, entry.id, self._small_files)
        detailed = self._entry_of(model)
        if main_path and not model.is_gguf_file:
            detailed = replace(detailed, advice=self._advice.for_candidate(main_path, model))
        if not only_result or entry.id in self._catalog.models or detailed.problem or model.is_gguf_file:
            return detailed
        return self._with_draft(client, detailed, model)

    def _with_draft(self, client: HubClient, entry: Entry, model: Model) -> Entry:
        """Return a search result with the head and the draft model that suit it, if there are any."""
        budget = self._installed.budget()
        head = head_for(client, model, self._catalog, budget.context, budget.limit, self._small_files)
        best = draft_for(client, model, self._catalog, budget.context, budget.limit, self._small_files)
        draft = self._catalog.models[best.id] if best is not None else None
        return with_pair(entry, draft, head, self._catalog, self._installed.complete_ids, budget)

    def _entry_of(self, model: Model, mlx: Model | None = None) -> Entry:
        """Return a model as a search result; `mlx` is the same one with MLX weights, if it is known."""
        return from_search(model, self._catalog, self._installed.complete_ids, self._installed.budget(), mlx)
