"""How a main model is loaded: into this process, or, by a subclass, into several that compute together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.advice.fit import ModelSize
from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import OnProgress, load_in_steps


class MainLoader:
    """Loads main models into this process, or, in a subclass, into several that compute together."""

    # True if a main model has to be unloaded before another one is loaded.
    one_at_a_time = False

    def load(
        self,
        main: str | Path,
        kv_bits: int | None,
        streaming: Callable[[], bool],
        on_progress: OnProgress,
        context: int | None,  # noqa: ARG002
    ) -> Steps[LoadedModel]:
        """Load a main model, as `engine.main_model.loading.load_in_steps` does.

        Unless `context` is None, each other process checks that its part with caches for `context` tokens fits there.
        """
        return load_in_steps(main, kv_bits, streaming, on_progress)

    def unloaded(self) -> None:
        """React to the main model having been unloaded."""

    def size_here(self, size: ModelSize) -> ModelSize:
        """Return the size of this process's part of a main model. Raises `ClusterError` if it cannot be divided."""
        return size
