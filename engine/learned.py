"""What depth controllers learned, kept between runs of the program.

One small JSON file holds the figures of every pair of models on one machine under one version of mlx. Another
machine or version starts afresh, because its kernels have other costs. A file that cannot be used is ignored; then a
few rounds are measured again.
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
from engine.speculation.depth import DepthController
from engine.tuning import Pair

log = logging.getLogger(__name__)

FORMAT = 2
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
    """A `LearnedStore` in a file that is read when first needed. Its figures are of `machine` and `mlx_version`."""

    def __init__(self, path: Path, machine: str, mlx_version: str) -> None:
        self._path = path
        self._stamp = {"format": FORMAT, "machine": machine, "mlx": mlx_version}
        self._pairs: dict[str, Any] | None = None
        self._write_failed = False

    def restore(self, controller: DepthController, main: str, draft: str = "") -> bool:
        """Let `controller` continue from what was learned for this pair; False when nothing usable is known."""
        data = self._read().get(_key(main, draft))
        if data is None:
            return False
        try:
            controller.load(data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._ignore(error)
            return False
        return True

    def keep(self, controller: DepthController, main: str, draft: str = "") -> None:
        """Write what `controller` learned for this pair. A failure to write is logged as a warning once."""
        pairs = self._read()
        pairs.pop(_key(main, draft), None)
        pairs[_key(main, draft)] = controller.export()
        # The latest are at the end.
        self._pairs = dict(list(pairs.items())[-MAX_PAIRS:])
        self._write_if_possible()

    def pairs(self) -> dict[Pair, DepthController]:
        """Everything in the file, the latest last; what cannot be used is left out."""
        known: dict[Pair, DepthController] = {}
        for key in self._read():
            pair = _pair(key)
            controller = DepthController()
            if pair is not None and self.restore(controller, *pair):
                known[pair] = controller
        return known

    def forget(self, pair: Pair | None) -> None:
        """Drop what was learned of one pair, or of all. A failure to write is logged as a warning once."""
        pairs = self._read()
        self._pairs = {key: figures for key, figures in pairs.items() if pair is not None and key != _key(*pair)}
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
        # Whatever stands there in its place, a device or a pipe too, must neither be waited for nor read without end.
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


def _pair(key: str) -> Pair | None:
    try:
        main, draft = json.loads(key)
    except (ValueError, TypeError):
        return None
    return (main, draft) if isinstance(main, str) and isinstance(draft, str) else None


def _key(main: str, draft: str) -> str:
    return json.dumps([main, draft])
