"""The speculation settings of single pairs of models. No Qt in here.

The file has a row for each: main model, draft model ("" for none), method, depth (0: the controller chooses) and
acceptance rule.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from app.settings.declarations import SettingsValues
from app.settings.engine_settings import speculation_of
from engine.errors import BadRequest
from engine.requests import SpeculationSettings

PairRow = tuple[str, str, str, int, str]


def own_settings(values: SettingsValues, main: str, draft: str) -> SpeculationSettings | None:
    """Return the pair's own settings, or None if those for all pairs apply."""
    found = next((row for row in values.pairs if row[:2] == (main, draft)), None)
    return None if found is None else _settings(found)


def settings_for(values: SettingsValues, main: str, draft: str) -> SpeculationSettings:
    """Return the settings in effect for a pair: its own, or those for all pairs. `same_text` is the same for all."""
    return replace(own_settings(values, main, draft) or speculation_of(values), same_text=values.same_text)


def with_own(values: SettingsValues, main: str, draft: str, chosen: SpeculationSettings) -> tuple[PairRow, ...]:
    """Return the rows with one pair's settings replaced or added."""
    rows = {(row[0], row[1]): row for row in values.pairs}
    rows[main, draft] = (main, draft, chosen.method, chosen.depth or 0, chosen.acceptance)
    return tuple(rows.values())


def without_own(values: SettingsValues, main: str, draft: str) -> tuple[PairRow, ...]:
    return tuple(row for row in values.pairs if row[:2] != (main, draft))


def usable_rows(value: object) -> tuple[PairRow, ...] | None:
    """Return the rows of a file without those that the engine refuses; None unless `value` is a list of lists."""
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return None
    rows: list[PairRow] = []
    for row in value:
        if [type(item) for item in row] == [str, str, str, int, str]:
            made: PairRow = (row[0], row[1], row[2], row[3], row[4])
            with suppress(BadRequest):
                _settings(made)
                rows.append(made)
    return tuple(rows)


def _settings(row: PairRow) -> SpeculationSettings:
    _, _, method, depth, acceptance = row
    return SpeculationSettings(method=method, depth=depth or None, acceptance=acceptance)
