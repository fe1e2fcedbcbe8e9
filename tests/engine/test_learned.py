from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest

from engine.learned import LearnedFile
from engine.speculation.depth import DepthController, MeasuredRound
from tests.engine.speculation.simulation import World, constant, controlled, gentle, stepped

WORLD = World(stepped, constant(0.8))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "learned.json"


def learned_file(path: Path, *, machine: str = "M4", mlx: str = "0.32.4") -> LearnedFile:
    return LearnedFile(path, machine, mlx)


def trained(world: World = WORLD) -> DepthController:
    controller = DepthController()
    controlled(world, 1500, controller=controller)
    return controller


@pytest.fixture
def kept(path: Path) -> DepthController:
    controller = trained()
    learned_file(path).keep(controller, "main", "draft")
    return controller


def test_the_next_run_expects_what_the_last_one_learned(path: Path, kept: DepthController) -> None:
    restored = DepthController()
    assert learned_file(path).restore(restored, "main", "draft")
    kept.begin(WORLD.context)
    restored.begin(WORLD.context)
    # How hard the text was at the very end is not kept.
    assert restored.expected_tps("draft", 4) == pytest.approx(kept.expected_tps("draft", 4), rel=0.15)


def test_a_restored_controller_speculates_once_it_has_seen_plain_speed(path: Path, kept: DepthController) -> None:
    plain = kept.plain_s()
    assert plain is not None
    restored = DepthController()
    learned_file(path).restore(restored, "main", "draft")
    restored.begin(WORLD.context)
    for _ in range(4):
        restored.observe(MeasuredRound(None, 0, 1, 0, plain, None))
    assert restored.choose({"draft": 8}).depth >= 3


@pytest.mark.parametrize(("main", "draft"), [("other", "draft"), ("main", "other"), ("main", "")])
@pytest.mark.usefixtures("kept")
def test_another_pair_starts_afresh(path: Path, main: str, draft: str) -> None:
    assert not learned_file(path).restore(DepthController(), main, draft)


@pytest.mark.parametrize("elsewhere", [{"machine": "M1"}, {"mlx": "0.33.0"}])
@pytest.mark.usefixtures("kept")
def test_another_machine_or_mlx_starts_afresh(path: Path, elsewhere: dict[str, str]) -> None:
    assert not learned_file(path, **elsewhere).restore(DepthController(), "main", "draft")


@pytest.mark.usefixtures("kept")
def test_an_ignored_file_of_another_format_is_logged(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.write_text(path.read_text().replace('"format":2', '"format":1'))
    with caplog.at_level(logging.INFO):
        assert not learned_file(path).restore(DepthController(), "main", "draft")
    assert [record.levelname for record in caplog.records] == ["INFO"]


def test_the_oldest_pairs_go_before_the_file_is_too_large_to_be_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = trained()
    learned_file(path).keep(controller, "0")
    monkeypatch.setattr("engine.learned.MAX_FILE_BYTES", 3 * path.stat().st_size)
    file = learned_file(path)
    for number in range(1, 8):
        file.keep(controller, str(number))
    usable = [number for number in range(8) if learned_file(path).restore(DepthController(), str(number))]
    assert 1 < len(usable) < 8
    assert usable[-1] == 7


def test_pairs_do_not_overwrite_each_other(path: Path, kept: DepthController) -> None:
    del kept
    learned_file(path).keep(trained(World(gentle, constant(0.5))), "main")
    assert learned_file(path).restore(DepthController(), "main", "draft")
    assert learned_file(path).restore(DepthController(), "main")


def test_no_file_is_no_problem(path: Path) -> None:
    assert not learned_file(path).restore(DepthController(), "main")


def damage(path: Path, how: str) -> None:
    content = path.read_text()
    if how == "cut":
        path.write_text(content[: len(content) // 2])
    elif how == "binary":
        path.write_bytes(bytes(range(256)))
    elif how == "a list":
        path.write_text("[]")
    elif how == "deep":
        path.write_text("[" * 100_000)
    else:
        parsed = json.loads(content)
        (pair,) = parsed["pairs"].values()
        if how == "negative":
            pair["costs"][0][3] = -1.0
        elif how == "not a number":
            pair["rates"]["draft"][""][0][0] = float("nan")
        elif how == "no rates":
            del pair["rates"]
        elif how == "wrong types":
            pair["rates"] = [1, 2]
        path.write_text(json.dumps(parsed))


@pytest.mark.parametrize(
    "how", ["cut", "binary", "a list", "deep", "negative", "not a number", "no rates", "wrong types"]
)
@pytest.mark.expects_log
@pytest.mark.usefixtures("kept")
def test_a_damaged_file_is_ignored_with_one_warning(path: Path, how: str, caplog: pytest.LogCaptureFixture) -> None:
    damage(path, how)
    controller, file = DepthController(), learned_file(path)
    assert not file.restore(controller, "main", "draft")
    assert not file.restore(controller, "main", "draft")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert controller.plain_s() is None
    file.keep(trained(), "main", "draft")
    assert learned_file(path).restore(DepthController(), "main", "draft")


@pytest.mark.expects_log
def test_a_refused_write_leaves_the_old_file_and_one_line_in_the_log(
    path: Path, kept: DepthController, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = path.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.atomic_file.os.replace", refuse)
    file = learned_file(path)
    for _ in range(3):
        file.keep(kept, "main", "draft")
    assert [record.levelname for record in caplog.records if record.levelno >= logging.INFO] == ["WARNING"]
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.expects_log
@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "large"])
def test_what_stands_in_the_files_place_is_neither_waited_for_nor_read_without_end(path: Path, kind: str) -> None:
    path.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "large":
        with path.open("wb") as file:
            file.truncate(6 * 2**30)
    else:
        path.symlink_to(kind)
    assert not learned_file(path).restore(DepthController(), "main", "draft")
