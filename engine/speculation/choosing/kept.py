"""What controllers learned, for each main model with each of its drafters, and the file that keeps it between runs.

One small JSON file holds the pairs of one machine under one version of mlx: another machine or version starts afresh,
because its kernels have other costs. What cannot be used is ignored; then a few rounds are measured again.
"""

from __future__ import annotations

import logging
from pathlib import Path

import mlx.core as mx
import psutil

from engine.cpu_backend.blas import BLAS
from engine.files.kept_json import KeptJson
from engine.speculation.choosing.controller import Controller, restored
from engine.tuning import LearnedPair, Pair

log = logging.getLogger(__name__)

# Changes with what is in the file.
FORMAT = 5
# As installed; mlx's stubs do not name it.
MLX_VERSION: str = mx.__version__  # type: ignore[attr-defined]


def learned_file_here(path: Path) -> LearnedFile:
    """The file at `path` for the machine and the mlx that this runs on."""
    chip = mx.device_info().get("device_name", "")
    machine = f"{chip}, {psutil.cpu_count()} cores, {mx.default_device()}, BLAS {BLAS}"
    return LearnedFile(path, machine, MLX_VERSION)


class LearnedFile:
    """Keeps what was learned of pairs on `machine` under `mlx_version`; without a `path` until the program ends."""

    def __init__(self, path: Path | None, machine: str = "", mlx_version: str = "") -> None:
        self.lasting = path is not None
        self._kept = KeptJson(path, {"format": FORMAT, "machine": machine, "mlx": mlx_version})

    def restore(self, pair: Pair) -> Controller | None:
        """A controller that goes on from what was learned of `pair`; None when nothing usable is known."""
        if _key(pair) not in self._kept.values:
            return None
        try:
            return restored(self._kept.values[_key(pair)])
        except ValueError as error:
            log.warning("what was learned of %s is ignored: %s", pair, error)
            del self._kept.values[_key(pair)]
            return None

    def keep(self, controller: Controller, pair: Pair) -> None:
        """Write what `controller` learned of `pair`."""
        self._kept.keep(_key(pair), controller.export())

    def pairs(self) -> dict[Pair, Controller]:
        """Everything in the file, the latest last; what cannot be used is left out."""
        keys = [key.partition("\n") for key in self._kept.values]
        return {(main, draft): one for main, _, draft in keys if (one := self.restore((main, draft))) is not None}

    def forget(self, pair: Pair | None) -> None:
        """Drop what was learned of one pair, or of all."""
        self._kept.forget(None if pair is None else _key(pair))


class Controllers:
    """One controller for each pair; `pair` selects the one in use, and `file` keeps what they learn, if given.

    `unsaved` is true if the one in use learned something since `keep`. `tried` are the pairs whose calibration began
    and could not go on.
    """

    def __init__(self, pair: Pair, file: LearnedFile | None = None) -> None:
        self.pair = pair
        self.unsaved = False
        self.tried: set[Pair] = set()
        self._file = file or LearnedFile(None)
        self._by_pair: dict[Pair, Controller] = {}

    @property
    def current(self) -> Controller:
        """The controller of the pair in use, with what is known of it."""
        if self.pair not in self._by_pair:
            self._by_pair[self.pair] = self._file.restore(self.pair) or Controller()
        return self._by_pair[self.pair]

    def use(self, controller: Controller) -> None:
        """Let `controller` serve the pair in use."""
        self._by_pair[self.pair] = controller

    @property
    def untuned(self) -> bool:
        """Whether this pair should be calibrated: it never was to the end, and no try was in vain."""
        return self._file.lasting and not self.current.learned.calibrated and self.pair not in self.tried

    def keep(self) -> None:
        """Save what was learned since the last call, for the next run of the program."""
        if self.unsaved:
            self._file.keep(self.current, self.pair)
        self.unsaved = False

    def learned(self) -> tuple[LearnedPair, ...]:
        """What is known about this pair and all others in the file; the latest last."""
        self.keep()
        return tuple(learned_pair(pair, one, loaded=pair == self.pair) for pair, one in self._file.pairs().items())

    def forget(self, pair: Pair | None) -> None:
        """Forget what was learned about one pair, or about all."""
        self._by_pair = {known: one for known, one in self._by_pair.items() if pair is not None and known != pair}
        self.unsaved = False
        self._file.forget(pair)


def learned_pair(pair: Pair, controller: Controller, *, loaded: bool = False) -> LearnedPair:
    """What `controller` knows about `pair`, as plain data."""
    main, draft = (identity.rpartition(", ")[0] for identity in pair)
    return LearnedPair(pair, main, draft, loaded, controller.figures(), controller.acceptance())


def _key(pair: Pair) -> str:
    return "\n".join(pair)
