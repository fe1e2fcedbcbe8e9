"""The controllers of all pairs of main model and drafter, and the file that keeps what they learned between runs.

One small JSON file holds the pairs of one machine under one version of mlx: another machine or version starts afresh,
because its kernels have other costs. What was learned while Low Power Mode or heat slowed the machine down is kept
apart. Unusable entries are ignored; then a few rounds are measured again.
"""

from __future__ import annotations

import logging
import os
from copy import deepcopy
from pathlib import Path

import mlx.core as mx
from msgspec import convert, to_builtins

from engine.cpu_backend.backend import backend
from engine.cpu_backend.blas import BLAS
from engine.files.kept_json import KeptJson
from engine.speculation.choosing.controller import Controller, Learned
from engine.speculation.choosing.speedup import Comparisons
from engine.speculation.rounds.row_rule import RowRules
from engine.tuning import LearnedPair, Pair, Rounding

log = logging.getLogger(__name__)

# Change it with the contents of the file.
FORMAT = 6
# As installed; mlx's stubs do not name it.
MLX_VERSION: str = mx.__version__  # type: ignore[attr-defined]


def machine_here() -> str:
    """Return what determines the speed of kernels: chip, cores, backend and linear algebra."""
    chip = mx.device_info().get("device_name", "")
    return f"{chip}, {os.cpu_count()} cores, {backend().name}, BLAS {BLAS}"


class Controllers:
    """One controller for each pair and pace; `pair` and `slowed` select the one in use.

    `slowed` says what slows the machine down, "" for nothing; `set_pace` changes it. The file at `path`, if given,
    keeps what they learn on `machine` under `mlx_version`. `unsaved` is true if the one in use has learned something
    since `keep`. `tried` are the entries whose calibration began but could not continue. `kv_bits` are those of the
    main model's caches, whose kernels round differently. `guess` is what its passes should cost, as in `Costs`.
    """

    def __init__(self, path: Path | None = None, machine: str = "", mlx_version: str = MLX_VERSION) -> None:
        self.pair: Pair = ("", "")
        self.slowed = ""
        self.kv_bits: int | None = None
        self.guess: dict[int, float] = {}
        self.unsaved = False
        self.tried: set[str] = set()
        self.lasting = path is not None
        self._kept = KeptJson(path, {"format": FORMAT, "machine": machine, "mlx": mlx_version})
        self._controllers: dict[tuple[Pair, str], Controller] = {}
        self._roundings: dict[str, Rounding | None] = {}

    @property
    def entry(self) -> str:
        """The name of the pair in use at this pace, as in the file."""
        return _entry(self.pair, self.slowed)

    @property
    def rounding(self) -> Rounding | None:
        """How this machine rounds the rows of the main model in use; None before it was probed."""
        name = self._main_name
        if name not in self._roundings:
            self._roundings[name] = self._restored_rounding(name)
        return self._roundings[name]

    @rounding.setter
    def rounding(self, found: Rounding) -> None:
        self._roundings[self._main_name] = found

    @property
    def current(self) -> Controller:
        """The controller of the pair in use, restored from the file if possible."""
        here = self.pair, self.slowed
        if here not in self._controllers:
            self._controllers[here] = self._restored(self.entry) or self._new()
            self._controllers[here].expect(self.guess)
        return self._controllers[here]

    def use(self, controller: Controller) -> None:
        """Let `controller` serve the pair in use."""
        self._controllers[self.pair, self.slowed] = controller

    def set_pace(self, slowed: str) -> None:
        """Learn and decide at another pace of the machine from now on; call it only between answers."""
        if slowed != self.slowed:
            self.keep()
            self.slowed = slowed

    @property
    def untuned(self) -> bool:
        """Whether this pair should be calibrated: it never was completely, and no attempt has failed."""
        return self.lasting and not self.current.learned.calibrated and self.entry not in self.tried

    def keep(self) -> None:
        """Save what was learned since the last call, for the next run of the program."""
        if self.unsaved:
            self._kept.keep(self.entry, to_builtins(self.current.learned, str_keys=True))
            if self._main_name in self._kept.values:
                # Answers have counted their leads in it.
                self.keep_rounding()
        self.unsaved = False

    def keep_rounding(self) -> None:
        """Save how this machine rounds the rows of the main model in use."""
        self._kept.keep(self._main_name, to_builtins(self.rounding))

    def learned(self) -> tuple[LearnedPair, ...]:
        """Return what is known of all pairs in the file, the latest last, without unusable entries."""
        self.keep()
        known = []
        for name in [*self._kept.values]:
            if "\n" in name and (controller := self._restored(name)) is not None:
                main, draft, slowed = (*name.split("\n", 2), "", "")[:3]
                loaded = name == self.entry
                rounding = self.rounding if loaded else None
                known.append(learned_pair((main, draft), controller, rounding, loaded=loaded, slowed=slowed))
        return tuple(known)

    def forget(self, pair: Pair | None) -> None:
        """Forget what was learned about one pair at every pace, or about all."""
        self._controllers = {
            known: one for known, one in self._controllers.items() if pair is not None and known[0] != pair
        }
        if pair is None:
            self._roundings.clear()
        self.unsaved = False
        self._kept.forget({name for name in self._kept.values if pair is None or _is_of(name, pair)})

    def _new(self) -> Controller:
        """Return a controller for a pair that is new at this pace.

        It begins with what was learned at full speed. How much slower the rounds are, and how much speculation gains
        then, is measured anew.
        """
        known = self._controllers.get((self.pair, "")) or self._restored(_entry(self.pair)) if self.slowed else None
        if known is None:
            return Controller()
        learned = deepcopy(known.learned)
        learned.comparisons = Comparisons()
        return Controller(learned)

    @property
    def _main_name(self) -> str:
        """The file's name of what concerns the main model alone: other than a pair's, it has one line."""
        return f"{self.pair[0]}, {self.kv_bits or 'full'}-bit caches"

    def _restored_rounding(self, name: str) -> Rounding | None:
        try:
            return convert(self._kept.values.get(name), Rounding | None)
        except ValueError as error:
            log.warning("how %s is rounded is ignored: %s", name, error)
            return None

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


def _entry(pair: Pair, slowed: str = "") -> str:
    return "\n".join((*pair, slowed) if slowed else pair)


def _is_of(entry: str, pair: Pair) -> bool:
    return entry == _entry(pair) or entry.startswith(_entry(pair) + "\n")


def learned_pair(
    pair: Pair, controller: Controller, rounding: Rounding | None = None, *, loaded: bool = False, slowed: str = ""
) -> LearnedPair:
    """Return what `controller` and the probe know about `pair`, as plain data."""
    main, draft = (identity.rpartition(", ")[0] for identity in pair)
    rules = RowRules(rounding, strict=rounding is not None)
    acceptance = tuple(controller.learned.free.texts.figures())
    return LearnedPair(pair, main, draft, loaded, controller.figures(rules), acceptance, slowed, rounding)
