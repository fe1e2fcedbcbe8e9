"""The passes of a load are one share, which never goes back."""

from __future__ import annotations

from engine.upkeep.load_progress import LoadProgress


def test_a_file_that_is_converted_has_one_share_over_all_passes() -> None:
    seen: list[tuple[int, int, bool]] = []
    progress = LoadProgress(lambda *report: seen.append(report))
    progress.begin()
    for done in (0, 500, 1000):
        progress.convert(done, 1000)
    for loaded in (0, 400, 800):
        progress.read(loaded, 800)
    assert seen[0] == (0, 0, False)
    assert {(total, converting) for _, total, converting in seen[1:]} == {(1100, True)}
    assert [done for done, _, _ in seen[1:]] == [0, 500, 1000, 1000, 1050, 1100]


def test_a_model_that_is_only_read_has_its_bytes() -> None:
    seen: list[tuple[int, int, bool]] = []
    progress = LoadProgress(lambda *report: seen.append(report))
    progress.convert(1000, 1000)
    progress.begin()
    progress.read(3, 12)
    assert seen[-1] == (3, 12, False)
