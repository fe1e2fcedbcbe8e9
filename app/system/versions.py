"""Versions of the installed packages, for reports and diagnostics. This module does not use Qt."""

from __future__ import annotations

# The sentence for a person whose macOS is too old, as engine/machine/macos.py says.
OLD_MACOS = (
    "Update to macOS 26.2 or newer: libraries that Tandem uses are built for a newer macOS than this one. On this "
    "version, answers can fail or be wrong."
)
PACKAGES = ("tandem-chat", "mlx", "mlx-lm", "transformers", "PySide6-Essentials", "huggingface-hub", "numpy")


def installed_version(package: str) -> str:
    """Return the package's version; "" if it is not installed, as Tandem itself in a checkout."""
    # Imported here because it imports the e-mail package, which would delay the window.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def versions() -> dict[str, str]:
    """Return the version of each of PACKAGES."""
    return {package: installed_version(package) for package in PACKAGES}
