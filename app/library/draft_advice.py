"""Which drafts suit a main model on this computer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.library.installed_models import InstalledModels
from engine.advice.catalog import Catalog
from engine.advice.pairing import PairAdvice, advise, candidates
from engine.errors import ModelNotUsable
from engine.model_files.model import Model


class DraftAdvice:
    """Judges drafts by the memory and the context that the settings allow. Thread-safe."""

    def __init__(self, installed: InstalledModels, catalog: Catalog) -> None:
        self._installed = installed
        self._catalog = catalog

    def for_main(self, path: str, measured: Mapping[str, float]) -> tuple[PairAdvice, ...]:
        """Judge every draft, installed or in the catalog, for the main model in `path`.

        `measured` maps ids of drafts to speed-ups with this main model. Return () if the main model is not usable.
        """
        main = self._installed.described_at(path)
        try:
            subject, drafts = candidates(main, self._installed.models, self._catalog)
        except ModelNotUsable:
            return ()
        return tuple(self._judge(main, subject, drafts, measured))

    def for_candidate(self, path: str, candidate: Model) -> PairAdvice | None:
        """Judge one draft for the main model in `path`; None if the main model is not usable."""
        main = self._installed.described_at(path)
        try:
            subject, _ = candidates(main, (), self._catalog)
        except ModelNotUsable:
            return None
        verdicts = self._judge(main, subject, [candidate], {})
        return next((advice for advice in verdicts if advice.id == candidate.id), None)

    def _judge(
        self, main: Model, subject: Model, drafts: Sequence[Model], measured: Mapping[str, float]
    ) -> list[PairAdvice]:
        """Judge `drafts` for `subject`, which is `main` as the engine's advice describes it."""
        budget = self._installed.budget()
        context = min(budget.context, main.context or budget.context)
        return advise(subject, drafts, context, budget.limit, measured, budget.element_bytes)
