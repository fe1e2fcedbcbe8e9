"""What the models need beside answers: to be measured, taught and unloaded, and memory to be given back.

Runs on the engine's thread.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

from engine.decoders.generation import release_unused_memory
from engine.errors import EngineError, is_device_failure
from engine.files.system_memory import memory_pressure
from engine.prefix.cache import PrefixCache
from engine.upkeep.calibration import calibrate
from engine.upkeep.model_changes import ModelChanges
from engine.upkeep.models import Models
from engine.upkeep.teaching import Teaching

log = logging.getLogger(__name__)

# Seconds between two looks at what macOS says of memory and power.
LOOK_S = 10.0
# The longest time to wait: queues refuse an infinite timeout.
LONGEST_SLEEP_S = 3600.0


class Upkeep:
    """Measures, teaches and parks the models while no request is served and no model changes (`busy()` is false).

    `relieve_memory` alone is for an engine that serves, too. `device_failed(error)` ends all work under way after a
    failure of the device, and returns it as an error of the engine.
    """

    def __init__(
        self,
        models: Models,
        prefix_cache: PrefixCache,
        changes: ModelChanges,
        teaching: Teaching,
        busy: Callable[[], bool],
        device_failed: Callable[[RuntimeError], EngineError],
    ) -> None:
        self._models = models
        self._prefix_cache = prefix_cache
        self._changes = changes
        self._teaching = teaching
        self._busy = busy
        self._device_failed = device_failed
        # The time from which the engine counts as idle, and of the next look at macOS, both by `time.monotonic`.
        self._idle_since = time.monotonic()
        self._look_due = 0.0
        # What macOS said of memory at the latest look: "" for enough.
        self._pressure = ""

    @property
    def seconds_to_park(self) -> float | None:
        """The seconds that the engine may still be idle before the models are unloaded; None if they stay."""
        after = self._models.settings.unload_after_s
        if after is None or not (self._models.loaded or self._models.encoder.loaded):
            return None
        return min(max(0.0, self._idle_since + after - time.monotonic()), LONGEST_SLEEP_S)

    @property
    def seconds_to_look(self) -> float | None:
        """The seconds after which an idle engine should look at the state of macOS again; None on other systems."""
        return LOOK_S if sys.platform == "darwin" and self._models.loaded else None

    def restart_idle_time(self) -> None:
        """Count the engine as idle from now on at the earliest."""
        self._idle_since = time.monotonic()

    def park(self) -> None:
        """Unload the models until the next request, if the engine was idle for the time in the settings."""
        if not self._busy() and self.seconds_to_park == 0.0:
            self._changes.park()

    def relieve_memory(self) -> None:
        """Give memory back that only saves time, if macOS is short of it; look at most every LOOK_S.

        Given back are the freed memory that MLX keeps and the inner checkpoints of finished turns or, if macOS is
        almost out of memory, all turns. It takes milliseconds, so while requests are served it is done once for each
        change.
        """
        now = time.monotonic()
        if now < self._look_due:
            return
        self._look_due = now + LOOK_S
        before = self._pressure
        self._pressure = memory_pressure()
        if self._pressure != before:
            log.info("macOS's memory pressure is %s now", self._pressure or "normal")
        elif self._busy():
            return
        if self._pressure:
            self._prefix_cache.drop_inner_checkpoints()
            if self._pressure == "critical":
                self._prefix_cache.shrink(0)
                if not self._changes.busy:
                    self._models.encoder.unload()
            release_unused_memory()

    def measure(self, stop: Callable[[], bool], seconds: float) -> None:
        """Probe the rounding of a new main model, or calibrate a new pair, for `seconds` or until `stop()` is true."""
        if self._models.unprobed:
            self._models.probe(stop, seconds)
        elif self._models.untuned:
            self.calibrate(stop, seconds)

    def calibrate(self, stop: Callable[[], bool] = lambda: False, seconds: float | None = None) -> bool:
        """Measure the round costs of the loaded models; see `calibration.calibrate`.

        Raises `NoModel`, and `DeviceFailed` if the device fails.
        """
        self._models.update_slowdown()
        try:
            return calibrate(self._models.drafting, self._models.main, stop, seconds)
        except RuntimeError as error:
            if not is_device_failure(error):
                raise
            raise self._device_failed(error) from error
        finally:
            release_unused_memory()

    def teach(self) -> None:
        """Run a step of the teaching under way, if there is one and nothing else to do."""
        if not self._teaching.running or self._busy():
            return
        if (loaded := self._models.own_resident) is not None:
            self._changes.switch(loaded.path)
        self.restart_idle_time()
        try:
            self._teaching.step()
        except RuntimeError as error:
            if not is_device_failure(error):
                raise
            self._device_failed(error)
