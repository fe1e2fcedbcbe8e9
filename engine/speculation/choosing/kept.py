"""What controllers learned, for each main model with each of its drafters, and the file that keeps it between runs.

One small JSON file holds the pairs of one machine under one version of mlx: another machine or version starts afresh,
because its kernels have other costs. A file that cannot be used is ignored; then a few rounds are measured again.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import mlx.core as mx
import psutil

from engine.atomic_file import write_atomically
from engine.cpu_backend.blas import BLAS
from engine.model_files.folder_paths import open_regular
from engine.speculation.choosing.controller import Controller
from engine.tuning import LearnedPair, Pair

log = logging.getLogger(__name__)

FORMAT = 3
MAX_PAIRS = 64
MAX_FILE_BYTES = 4 * 2**20
# As installed; mlx's stubs do not name it.
MLX_VERSION: str = mx.__version__  # type: ignore[attr-defined]


def learned_file_here(path: Path) -> LearnedFile:
    """The file at `path` for the machine and the mlx that this runs on."""
    chip = mx.device_info().get("device_name", "")
    machine = f"{chip}, {psutil.cpu_count()} cores, {mx.default_device()}, BLAS {BLAS}"
    return LearnedFile(path, machine, MLX_VERSION)


class LearnedFile:
    """Keeps what was learned of pairs on `machine` under `mlx_version`; the file is read when first needed.

    A failure to write is logged as a warning once.
    """

    def __init__(self, path: Path, machine: str, mlx_version: str) -> None:
        self._path = path
        self._stamp = {"format": FORMAT, "machine": machine, "mlx": mlx_version}
        self._pairs: dict[str, Any] | None = None
        self._write_failed = False

    def restore(self, pair: Pair) -> Controller | None:
        """A controller that goes on from what was learned of `pair`; None when nothing usable is known."""
        data = self._read().get(json.dumps(pair))
        if data is None:
            return None
        controller = Controller()
        try:
            controller.load(data)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            self._ignore(error)
            return None
        return controller

    def keep(self, controller: Controller, pair: Pair) -> None:
        """Write what `controller` learned of `pair`."""
        pairs = self._read()
        pairs.pop(json.dumps(pair), None)
        pairs[json.dumps(pair)] = controller.export()
        # The latest are at the end.
        self._pairs = dict(list(pairs.items())[-MAX_PAIRS:])
        self._write_if_possible()

    def pairs(self) -> dict[Pair, Controller]:
        """Everything in the file, the latest last; what cannot be used is left out."""
        pairs = [pair for pair in map(_pair, self._read()) if pair is not None]
        return {pair: known for pair in pairs if (known := self.restore(pair)) is not None}

    def forget(self, pair: Pair | None) -> None:
        """Drop what was learned of one pair, or of all."""
        pairs = self._read()
        self._pairs = {key: one for key, one in pairs.items() if pair is not None and key != json.dumps(pair)}
        if len(self._pairs) < len(pairs):
            self._write_if_possible()

    def _read(self) -> dict[str, Any]:
        if self._pairs is None:
            self._pairs = {}
            try:
                self._pairs = self._parse()
            except FileNotFoundError:
                pass
            except (OSError, ValueError, RecursionError) as error:
                self._ignore(error)
        return self._pairs

    def _parse(self) -> dict[str, Any]:
        # Refuse devices and pipes: opening one could block or never end.
        with open_regular(self._path) as file:
            raw = file.read(MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise ValueError(f"larger than {MAX_FILE_BYTES} bytes")
        content = json.loads(raw)
        if not isinstance(content, dict) or not isinstance(content.get("pairs"), dict):
            raise ValueError("not a file of learned figures")
        pairs: dict[str, Any] = content.pop("pairs")
        if content != self._stamp:
            log.info("%s is of another machine or version, depths are learned afresh", self._path)
            return {}
        return pairs

    def _write_if_possible(self) -> None:
        try:
            write_atomically(self._path, self._content())
        except OSError as error:
            level = logging.DEBUG if self._write_failed else logging.WARNING
            self._write_failed = True
            log.log(level, "%s cannot be written, depths will be learned afresh: %s", self._path, error)

    def _content(self) -> bytes:
        """The content of the file, without the oldest pairs where it would be too large to be read again."""
        pairs = self._read()
        while True:
            content = json.dumps({**self._stamp, "pairs": pairs}, separators=(",", ":")).encode()
            if len(content) <= MAX_FILE_BYTES or not pairs:
                return content
            del pairs[next(iter(pairs))]

    def _ignore(self, error: Exception) -> None:
        log.warning("%s is ignored, depths are learned afresh: %s", self._path, error)
        self._pairs = {}


class Controllers:
    """One controller for each pair; `pair` selects the one in use, and `file` keeps what they learn, if given.

    `unsaved` is true if the one in use learned something since `keep`.
    """

    def __init__(self, pair: Pair, file: LearnedFile | None = None) -> None:
        self.pair = pair
        self.unsaved = False
        self._file = file
        self._by_pair: dict[Pair, Controller] = {}
        # The pairs whose calibration began and could not go on.
        self.tried: set[Pair] = set()

    @property
    def current(self) -> Controller:
        """The controller of the pair in use, with what is known of it."""
        if self.pair not in self._by_pair:
            restored = self._file.restore(self.pair) if self._file is not None else None
            self._by_pair[self.pair] = restored or Controller()
        return self._by_pair[self.pair]

    def use(self, controller: Controller) -> None:
        """Let `controller` serve the pair in use."""
        self._by_pair[self.pair] = controller

    @property
    def untuned(self) -> bool:
        """Whether this pair should be calibrated: it never was to the end, and no try was in vain."""
        return self._file is not None and not self.current.calibrated and self.pair not in self.tried

    def keep(self) -> None:
        """Save what was learned since the last call, for the next run of the program."""
        if self._file is not None and self.unsaved:
            self._file.keep(self.current, self.pair)
        self.unsaved = False

    def learned(self) -> tuple[LearnedPair, ...]:
        """What is known about this pair and, with a file, about all others; the latest last."""
        self.keep()
        known = self._kept()
        known |= {pair: one for pair, one in self._by_pair.items() if pair not in known and one.figures()}
        return tuple(learned_pair(pair, one, loaded=pair == self.pair) for pair, one in known.items())

    def forget(self, pair: Pair | None) -> None:
        """Forget what was learned about one pair, or about all."""
        self._by_pair = {known: one for known, one in self._by_pair.items() if pair is not None and known != pair}
        self.unsaved = False
        if self._file is not None:
            self._file.forget(pair)

    def _kept(self) -> dict[Pair, Controller]:
        return self._file.pairs() if self._file is not None else {}


def learned_pair(pair: Pair, controller: Controller, *, loaded: bool = False) -> LearnedPair:
    """What `controller` knows about `pair`, as plain data."""
    main, draft = (identity.rpartition(", ")[0] for identity in pair)
    return LearnedPair(pair, main, draft, loaded, controller.figures(), controller.acceptance())


def _pair(key: str) -> Pair | None:
    try:
        main, draft = json.loads(key)
    except (ValueError, TypeError):
        return None
    return (main, draft) if isinstance(main, str) and isinstance(draft, str) else None
