"""Sentences about several Macs: the results of a check on each, the part that each would hold, and who answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from app.wording.durations import brief
from app.wording.errors import error_sentence
from app.wording.hub import size_words
from app.wording.sentences import translate

if TYPE_CHECKING:
    from engine.cluster.checks import HostCheck
    from engine.cluster.plan import RankPart

# The names that people know of the packages whose versions must be the same everywhere.
_PROGRAMS = {"tandem-chat": "Tandem", "mlx": "MLX"}


def together_sentence(hosts: Sequence[str]) -> str:
    """Return words that say which machines answer together, for the mark in the header and the page."""
    text = translate("Machines", "Running on {count} Macs: {names}")
    names = QLocale().createSeparatedList([host_name(host) for host in hosts])
    # Qt joins names with the Chinese "and" without the usual space between Han and Latin letters.
    names = re.sub(r"(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])", " ", names)
    return text.format(count=QLocale().toString(len(hosts)), names=names)


def host_name(host: str) -> str:
    """Return the name of a machine for people."""
    return translate("Machines", "This Mac") if host in ("127.0.0.1", "localhost", "::1") else host


def check_line(check: HostCheck) -> str:
    """Return the result of a check on one Mac, as a line."""
    if check.problem is not None:
        return error_sentence(check.problem)
    parts = [translate("Machines", "{name} is ready").format(name=host_name(check.host))]
    if check.system:
        parts.append(check.system)
    programs = [(package, version) for package, version in check.versions if package in _PROGRAMS and version]
    parts += [f"{_PROGRAMS[package]} {version}" for package, version in programs]
    if check.free:
        parts.append(translate("Machines", "{size} for models").format(size=size_words(check.free)))
    if check.bytes_per_s is not None:
        parts.append(translate("Machines", "{size}/s").format(size=size_words(int(check.bytes_per_s))))
    if check.round_trip_s is not None:
        parts.append(translate("Machines", "round trip {time}").format(time=brief(check.round_trip_s, decimals=1)))
    # The no-break space keeps the separator at the end of a line where the words wrap.
    return "\u00a0· ".join(parts)


def fetch_line(host: str, done: int, total: int) -> str:
    """Describe the progress of one Mac's download."""
    text = translate("Machines", "{name} is downloading: {done} of {total}")
    return text.format(name=host_name(host), done=size_words(done), total=size_words(total))


def part_line(part: RankPart, split: str) -> str:
    """Return words that say which part of a model one Mac would hold, and how much of its free memory that needs."""
    by_layers = split == "pipeline"
    first, end = part.layers if by_layers else part.heads
    place = (
        translate("Machines", "{name}: layers {first} to {last}")
        if by_layers
        else translate("Machines", "{name}: parts {first} to {last} of every layer")
    )
    if part.free_bytes is None:
        memory = translate("Machines", "needs {size}")
    elif part.fits:
        memory = translate("Machines", "needs {size} of {free}")
    else:
        memory = translate("Machines", "needs {size}, but only {free} can be used")
    number = QLocale().toString
    return "\u00a0· ".join(
        (
            place.format(name=host_name(part.host), first=number(first + 1), last=number(end)),
            memory.format(size=size_words(part.needed_bytes), free=size_words(part.free_bytes or 0)),
        )
    )
