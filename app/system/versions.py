"""Versions of the installed packages, for reports and diagnostics. No Qt in here."""

from __future__ import annotations

PACKAGES = ("tandem-chat", "mlx", "mlx-lm", "transformers", "PySide6-Essentials", "huggingface-hub", "numpy")


def installed_version(package: str) -> str:
    """The package's version; "" if it is not installed, as Tandem itself is not where a checkout is run."""
    # It brings the e-mail package along, so not before the window is there.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def versions() -> dict[str, str]:
    """The version of every package that matters."""
    return {package: installed_version(package) for package in PACKAGES}
