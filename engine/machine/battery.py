"""Whether this machine runs on its battery."""

from __future__ import annotations

import psutil


def on_battery() -> bool:
    """Whether a battery, not mains, powers this machine; false if it has none or the system does not say."""
    try:
        battery = psutil.sensors_battery()
    except (OSError, RuntimeError):
        # A newer macOS than psutil knows: its other reads fail there, too.
        return False
    return battery is not None and battery.power_plugged is False
