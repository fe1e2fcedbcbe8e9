"""Records of tokenizers are found as long as nothing of the folder has changed, and never more than a few are kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.tokenizer_records import MOST_RECORDS, TokenizerRecords, read_record

FACTS = {"end": 3, "chat_template": "안녕 {{ messages }}"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "model"
    (made / "additional_chat_templates").mkdir(parents=True)
    (made / "config.json").write_text("{}")
    (made / "model.safetensors").write_text("weights")
    (made / "additional_chat_templates" / "tool.jinja").write_text("a")
    return made


@pytest.fixture
def records(tmp_path: Path) -> TokenizerRecords:
    return TokenizerRecords(tmp_path / "learned.json")


def path_of(records: TokenizerRecords, folder: Path) -> Path:
    path = records.path(folder)
    assert path is not None
    return path


def test_a_record_comes_back_as_it_was(records: TokenizerRecords, folder: Path) -> None:
    assert not records.likely(folder)
    records.keep(path_of(records, folder), FACTS, '{"model": "日本"}')
    assert records.likely(folder)
    assert read_record(path_of(records, folder)) == (FACTS, '{"model": "日本"}'.encode())


def test_that_a_folder_can_have_no_record_is_known_until_it_changes(records: TokenizerRecords, folder: Path) -> None:
    records.keep(path_of(records, folder), FACTS, "a")
    (folder / "config.json").write_text("[]")
    assert not records.refused(path_of(records, folder))
    records.refuse(path_of(records, folder))
    assert records.refused(path_of(records, folder))
    assert not records.likely(folder)
    assert not path_of(records, folder).exists()
    (folder / "config.json").write_text("{}")
    assert not records.refused(path_of(records, folder))
    records.keep(path_of(records, folder), FACTS, "a")
    assert [path.name for path in path_of(records, folder).parent.iterdir()] == [path_of(records, folder).name]


def test_without_a_place_nothing_is_kept(folder: Path) -> None:
    records = TokenizerRecords(None)
    assert records.path(folder) is None
    assert not records.likely(folder)


def test_a_file_that_goes_while_the_folder_is_read_leaves_it_without_a_record(
    records: TokenizerRecords, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(path: Path) -> bytes:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_bytes", gone)
    assert records.path(folder) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "config.json").write_text("[]"),
        lambda folder: (folder / "tokenizer.json").write_text(""),
        lambda folder: (folder / "additional_chat_templates" / "tool.jinja").write_text("b"),
        lambda folder: (folder / "config.json").unlink(),
        lambda folder: (folder / "config.json").rename(folder / "config.jinja"),
    ],
)
def test_a_change_to_the_folder_makes_its_record_out_of_date(
    change: Callable[[Path], object], records: TokenizerRecords, folder: Path
) -> None:
    records.keep(before := path_of(records, folder), FACTS, "a")
    change(folder)
    assert path_of(records, folder) != before
    records.keep(path_of(records, folder), FACTS, "b")
    assert [path.name for path in before.parent.iterdir()] == [path_of(records, folder).name]


def test_weights_say_nothing_of_a_tokenizer(records: TokenizerRecords, folder: Path) -> None:
    before = path_of(records, folder)
    (folder / "model.safetensors").write_text("others")
    assert path_of(records, folder) == before


def test_another_version_of_a_library_may_make_another_tokenizer(
    records: TokenizerRecords, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path_of(records, folder)
    installed = tmp_path / "installed"
    installed.mkdir()
    monkeypatch.setattr("sys.path", [*sys.path, str(installed), str(tmp_path / "missing")])
    assert path_of(records, folder) == before
    (installed / "transformers-99.dist-info").mkdir()
    assert path_of(records, folder) != before


def test_another_folder_has_a_record_of_its_own(records: TokenizerRecords, folder: Path, tmp_path: Path) -> None:
    records.keep(path_of(records, folder), FACTS, "a")
    moved = folder.rename(tmp_path / "moved")
    assert not records.likely(moved)
    assert not path_of(records, moved).exists()


def test_a_damaged_record_is_an_error(records: TokenizerRecords, folder: Path) -> None:
    path = path_of(records, folder)
    records.keep(path, FACTS, "abc")
    path.write_bytes(path.read_bytes().replace(b"abc", b"abd"))
    with pytest.raises(ValueError, match="damaged"):
        read_record(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="Expecting"):
        read_record(path)


def test_the_oldest_records_go(records: TokenizerRecords, tmp_path: Path) -> None:
    made = []
    for number in range(MOST_RECORDS + 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        records.keep(path := path_of(records, folder), FACTS, "a")
        os.utime(path, ns=(number, number))
        made.append(path)
    records.drop(made[-1])
    assert [path.exists() for path in made] == [False, False, *[True] * (MOST_RECORDS - 1), False]


@pytest.mark.expects_log
def test_what_cannot_be_written_is_logged(
    records: TokenizerRecords, folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "tokenizers").write_text("in the way")
    records.keep(path_of(records, folder), FACTS, "a")
    assert "cannot be written" in caplog.text
