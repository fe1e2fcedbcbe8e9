"""The controllers of all pairs of main model and drafter, and the file that keeps what they learned between runs.

One small JSON file holds the pairs of one machine under one version of mlx and of macOS: another machine or version
starts afresh, because its kernels have other costs and can round otherwise. Unusable entries are ignored; then a few
rounds are measured again.
"""

from __future__ import annotations

import logging
import os
import platform
from pathlib import Path

import mlx.core as mx
from msgspec import convert, to_builtins

from engine.cpu_backend.backend import backend
from engine.cpu_backend.blas import BLAS
from engine.files.kept_json import KeptJson
from engine.files.system_memory import kernel_value
from engine.speculation.choosing.controller import Controller, ControllerState
from engine.speculation.choosing.race_journal import RaceJournal
from engine.speculation.rounds.row_rule import RowRules
from engine.tuning import LearnedPair, PairNames, Rounding

log = logging.getLogger(__name__)

# Change it with the contents of the file.
FORMAT = 7
# As installed; mlx's stubs do not name it.
MLX_VERSION: str = mx.__version__  # type: ignore[attr-defined]


def machine_here() -> str:
    """Return what determines the speed of kernels and their rounding, as one line of text.

    That is the chip, its cores, the backend, the library of linear algebra and, on a Mac, macOS with its build, which
    brings Metal's compiler.
    """
    chip = mx.device_info().get("device_name", "")
    parts = [f"{chip}", f"{os.cpu_count()} cores", backend().name, f"BLAS {BLAS}"]
    if macos := platform.mac_ver()[0]:
        # A Python that was built before macOS 26 is told that each 26 is 16.0; the build is told as it is.
        build = kernel_value("kern.osversion").rstrip(b"\0").decode()
        parts.append(f"macOS {macos} {build}".rstrip())
    return ", ".join(parts)


class Controllers:
    """One controller for each pair; `pair` selects the one in use.

    The file at `path`, if given, keeps what they learn on `machine` under `mlx_version`. `unsaved` is true if the one
    in use has learned something since `keep`. `tried` are the pairs whose calibration began but could not continue.
    `kv_bits` are those of the main model's caches, whose kernels round differently. `guess` is what its passes should
    cost, as in `costs.Costs`. If `kernels_off`, those of `engine.row_kernels` are not in use. `races` are those of
    these kernels that did not end, in the same file.
    """

    def __init__(self, path: Path | None = None, machine: str = "", mlx_version: str = MLX_VERSION) -> None:
        self.pair: PairNames = ("", "")
        self.kv_bits: int | None = None
        self.guess: dict[int, float] = {}
        self.unsaved = False
        self.tried: set[PairNames] = set()
        self.lasting = path is not None
        self.kernels_off = False
        self._kept = KeptJson(path, {"format": FORMAT, "machine": machine, "mlx": mlx_version})
        self.races = RaceJournal(self._kept)
        self._controllers: dict[PairNames, Controller] = {}
        self._roundings: dict[str, Rounding | None] = {}

    @property
    def rounding(self) -> Rounding | None:
        """How this machine rounds the rows of the main model in use; None before it was probed."""
        name = self._main_name
        if name not in self._roundings:
            try:
                self._roundings[name] = convert(self._kept.values.get(name), Rounding | None)
            except ValueError as error:
                log.warning("how %s is rounded is ignored: %s", name, error)
                self._roundings[name] = None
        rounding = self._roundings[name]
        return rounding.without_kernels if self.kernels_off and rounding is not None else rounding

    @rounding.setter
    def rounding(self, value: Rounding) -> None:
        self._roundings[self._main_name] = value

    @property
    def current(self) -> Controller:
        """The controller of the pair in use, restored from the file if possible."""
        if self.pair not in self._controllers:
            self._controllers[self.pair] = self._restored(_entry(self.pair)) or Controller()
            self._controllers[self.pair].expect(self.guess)
        return self._controllers[self.pair]

    def use(self, controller: Controller) -> None:
        """Let `controller` serve the pair in use."""
        self._controllers[self.pair] = controller

    @property
    def untuned(self) -> bool:
        """Whether this pair should be calibrated: it never was completely, and no attempt has failed."""
        return self.lasting and not self.current.learned.calibrated and self.pair not in self.tried

    def keep(self) -> None:
        """Save what was learned since the last call, for the next run of the program."""
        if self.unsaved:
            self._kept.keep(_entry(self.pair), to_builtins(self.current.learned, str_keys=True))
        self.unsaved = False

    def keep_rounding(self) -> None:
        """Save how this machine rounds the rows of the main model in use."""
        self._kept.keep(self._main_name, to_builtins(self.rounding))

    def learned(self) -> tuple[LearnedPair, ...]:
        """Return what is known of all pairs in the file, the latest last, without unusable entries."""
        self.keep()
        known = []
        for name in [*self._kept.values]:
            if name.count("\n") == 1 and (controller := self._restored(name)) is not None:
                main, _, draft = name.partition("\n")
                loaded = (main, draft) == self.pair
                rounding = self.rounding if loaded else None
                cost = controller.cost_of(RowRules(rounding, strict=True).at(1)) if rounding is not None else None
                known.append(LearnedPair((main, draft), loaded, rounding, cost))
        return tuple(known)

    def forget(self) -> None:
        """Forget what was learned about all pairs."""
        self._controllers.clear()
        self._roundings.clear()
        self.unsaved = False
        self._kept.forget(set(self._kept.values))
        self.races.forget()

    @property
    def _main_name(self) -> str:
        """The file's name of what concerns the main model alone: other than a pair's, it has one line."""
        return f"{self.pair[0]}, {self.kv_bits or 'full'}-bit caches"

    def _restored(self, name: str) -> Controller | None:
        """Return a controller that continues from the file's entry `name`; None if there is no usable one."""
        if name not in self._kept.values:
            return None
        try:
            return Controller(convert(self._kept.values[name], ControllerState, str_keys=True))
        except ValueError as error:
            log.warning("what was learned of %s is ignored: %s", name.split("\n"), error)
            del self._kept.values[name]
            return None


def _entry(pair: PairNames) -> str:
    """Return the name of a pair in the file."""
    return "\n".join(pair)
