"""The bundle's shortened ICU data sorts and names time zones like Qt's."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import PySide6
import pytest

icu_data = runpy.run_path(str(Path(__file__).resolve().parents[2] / "packaging" / "icu_data.py"))
LIBRARIES = Path(PySide6.__file__).parent / "Qt" / "lib"

# Prints how ICU, with the data library that is given first, sorts words and names a time zone in each language.
SORT = """
import ctypes, sys
data, folder, languages = sys.argv[1:]
version = data.rpartition(".")[2]
ctypes.CDLL(data, ctypes.RTLD_GLOBAL)
ctypes.CDLL(f"{folder}/libicuuc.so.{version}", ctypes.RTLD_GLOBAL)
icu = ctypes.CDLL(f"{folder}/libicui18n.so.{version}")
call = lambda name: getattr(icu, f"{name}_{version}")
call("ucol_open").restype = call("ucal_open").restype = ctypes.c_void_p
utf16 = lambda text: text.encode("utf-16-le") + bytes(2)
words = ["Äpfel", "zebra", "apple", "가방", "나무", "学校", "東京", "北京", "一", "あ", "ア", "ö", "straße"]
for language in languages.split():
    error = ctypes.c_int(0)
    collator = ctypes.c_void_p(call("ucol_open")(language.encode(), ctypes.byref(error)))
    def key(word):
        room = ctypes.create_string_buffer(256)
        return room.raw[:call("ucol_getSortKey")(collator, utf16(word), -1, room, 256)]
    order = sorted(words, key=key)
    calendar = ctypes.c_void_p(call("ucal_open")(utf16("Asia/Seoul"), -1, language.encode(), 1, ctypes.byref(error)))
    room = ctypes.create_string_buffer(400)
    name = call("ucal_getTimeZoneDisplayName")
    length = name(calendar, 0, language.encode(), room, 200, ctypes.byref(error))
    print(language, error.value, *order, room.raw[:2 * length].decode("utf-16-le"))
"""


def test_items_come_out_as_they_went_in() -> None:
    header = (16).to_bytes(2, "little") + bytes(10) + b"CmnD"
    items = {"icudt73l/a.res": b"one", "icudt73l/b.icu": b"t" * 17, "icudt73l/coll/ko.res": b""}
    packed = icu_data["pack"](header, items)
    found_header, found = icu_data["read_items"](packed)
    assert found_header == header
    # Each is padded, as ICU wants it.
    assert {name: item.rstrip(b"\0") for name, item in found.items()} == items
    assert all(packed.index(item, 16) % 16 == 0 for item in (b"one", b"t" * 17))


def test_another_file_is_refused() -> None:
    with pytest.raises(ValueError, match="ICU"):
        icu_data["read_items"](b"\x7fELF" + bytes(60))


@pytest.mark.parametrize(
    ("name", "unused"),
    [
        ("icudt73l/coll/de.res", False),
        ("icudt73l/coll/ucadata.icu", False),
        ("icudt73l/root.res", False),
        ("icudt73l/supplementalData.res", False),
        ("icudt73l/zoneinfo64.res", False),
        ("icudt73l/ko_KR.res", False),
        ("icudt73l/zone/zh_Hans.res", False),
        ("icudt73l/zone/pool.res", False),
        ("icudt73l/nfkc.nrm", False),
        ("icudt73l/de.res", True),
        ("icudt73l/zone/fr_CA.res", True),
        ("icudt73l/curr/ko.res", True),
        ("icudt73l/brkitr/cjdict.dict", True),
        ("icudt73l/gb18030.cnv", True),
    ],
)
def test_only_what_qt_asks_for_is_kept(name: str, unused: bool) -> None:
    assert icu_data["is_unused"](name) is unused


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="Qt has ICU on Linux alone")
def test_the_shortened_library_sorts_as_before_in_every_language(tmp_path: Path) -> None:
    [whole] = LIBRARIES.glob("libicudata.so.*")
    short = tmp_path / whole.name
    short.write_bytes(whole.read_bytes())
    icu_data["shorten"](short)
    assert short.stat().st_size < whole.stat().st_size / 5
    assert said(short, "en ko ja zh_CN") == said(whole, "en ko ja zh_CN")
    # Other languages sort as before; their names of time zones are English.
    others = "de sv fr_CA ru ar zh_TW"
    assert [order_of(line) for line in said(short, others)] == [order_of(line) for line in said(whole, others)]


def order_of(line: str) -> list[str]:
    return line.split()[:15]


def said(data: Path, languages: str) -> list[str]:
    command = [sys.executable, "-I", "-c", SORT, str(data), str(LIBRARIES), languages]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == len(languages.split())
    return lines
