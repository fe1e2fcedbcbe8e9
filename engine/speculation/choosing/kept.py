"""The controllers of all pairs of main model and drafter, and the file that keeps what they learned between runs.

One small JSON file holds the pairs of one machine under one version of mlx: another machine or version starts afresh,
because its kernels have other costs. Unusable entries are ignored; then a few rounds are measured again.
"""

from __future__ import annotations

import logging
from pathlib import Path

import mlx.core as mx
import psutil
from msgspec import convert, to_builtins

from engine.cpu_backend.blas import BLAS
from engine.files.kept_json import KeptJson
from engine.speculation.choosing.controller import Controller, Learned
from engine.tuning import LearnedPair, Pair

log = logging.getLogger(__name__)

# Change it with the contents of the file.
FORMAT = 5
# As installed; mlx's stubs do not name it.
MLX_VERSION: str = mx.__version__  # type: ignore[attr-defined]


def machine_here() -> str:
    """Return what determines the speed of kernels: chip, cores, device and linear algebra."""
    chip = mx.device_info().get("device_name", "")
    return f"{chip}, {psutil.cpu_count()} cores, {mx.default_device()}, BLAS {BLAS}"


class Controllers:
    """One controller for each pair; `pair` selects the one in use.

    The file at `path`, if given, keeps what they learn on `machine` under `mlx_version`. `unsaved` is true if the one
    in use has learned something since `keep`. `tried` are the pairs whose calibration began but could not continue.
    """

    def __init__(self, path: Path | None = None, machine: str = "", mlx_version: str = MLX_VERSION) -> None:
        self.pair: Pair = ("", "")
        self.unsaved = False
        self.tried: set[Pair] = set()
        self._lasting = path is not None
        self._kept = KeptJson(path, {"format": FORMAT, "machine": machine, "mlx": mlx_version})
        self._by_pair: dict[Pair, Controller] = {}

    @property
    def current(self) -> Controller:
        """The controller of the pair in use, restored from the file if possible."""
        if self.pair not in self._by_pair:
            self._by_pair[self.pair] = self._restored("\n".join(self.pair)) or Controller()
        return self._by_pair[self.pair]

    def use(self, controller: Controller) -> None:
        """Let `controller` serve the pair in use."""
        self._by_pair[self.pair] = controller

    @property
    def untuned(self) -> bool:
        """Whether this pair should be calibrated: it never was completely, and no attempt has failed."""
        return self._lasting and not self.current.learned.calibrated and self.pair not in self.tried

    def keep(self) -> None:
        """Save what was learned since the last call, for the next run of the program."""
        if self.unsaved:
            self._kept.keep("\n".join(self.pair), to_builtins(self.current.learned, str_keys=True))
        self.unsaved = False

    def learned(self) -> tuple[LearnedPair, ...]:
        """Return what is known of all pairs in the file, the latest last, without unusable entries."""
        self.keep()
        known = []
        for name in [*self._kept.values]:
            if (controller := self._restored(name)) is not None:
                main, _, draft = name.partition("\n")
                known.append(learned_pair((main, draft), controller, loaded=(main, draft) == self.pair))
        return tuple(known)

    def forget(self, pair: Pair | None) -> None:
        """Forget what was learned about one pair, or about all."""
        self._by_pair = {known: one for known, one in self._by_pair.items() if pair is not None and known != pair}
        self.unsaved = False
        self._kept.forget(None if pair is None else "\n".join(pair))

    def _restored(self, name: str) -> Controller | None:
        """Return a controller that continues from the file's entry `name`; None if there is no usable one."""
        if name not in self._kept.values:
            return None
        try:
            return Controller(convert(self._kept.values[name], Learned, str_keys=True))
        except ValueError as error:
            log.warning("what was learned of %s is ignored: %s", name.split("\n"), error)
            del self._kept.values[name]
            return None


def learned_pair(pair: Pair, controller: Controller, *, loaded: bool = False) -> LearnedPair:
    """Return what `controller` knows about `pair`, as plain data."""
    main, draft = (identity.rpartition(", ")[0] for identity in pair)
    return LearnedPair(pair, main, draft, loaded, controller.figures(), tuple(controller.learned.free.texts.figures()))
