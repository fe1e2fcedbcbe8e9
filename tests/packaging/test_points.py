"""The programs that a Mac is asked with: each runs as the script starts it, and says what does not hold."""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "packaging" / "confirm_on_mac.py"
POINTS = ROOT / "packaging" / "points"
OLD_DOCUMENT = ROOT / "tests" / "engine" / "documents" / "files" / "libreoffice.doc"
Confirm = Callable[[str], Any]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr("sys.path", [*sys.path])
    return runpy.run_path(str(SCRIPT))


@pytest.fixture
def confirm(script: dict[str, Any], tmp_path: Path) -> Confirm:
    """Runs a program as one point; returns what the report says."""

    def run(name: str) -> Any:
        report = script["MacReport"](tmp_path / "report.md", "0123 on macOS", (), "")
        script["confirmed"](script["Point"](name, script["program"](name)), report)
        return report.entry(name)

    return run


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Writes a program that stands for one of macOS."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)

    return write


SIPS = f"""#!{sys.executable}
import sys
from PIL import Image
*turned, _, _, _, source, _, target = sys.argv[1:]
with Image.open(source) as picture:
    picture.rotate(-int(turned[1]) if turned and TURNS else 0, expand=True).save(target, "PNG")
"""


@pytest.mark.full
@pytest.mark.parametrize("turns", [True, False])
def test_heic_pictures_are_compared_with_what_was_written(
    confirm: Confirm, install: Callable[[str, str], None], turns: bool
) -> None:
    # A PNG file by the name of a HEIC is read as what it is, so that all but ImageIO runs here.
    install("sips", SIPS.replace("TURNS", str(turns)))
    entry = confirm("heic_pictures")
    if turns:
        assert (entry.state, entry.text) == ("ok", "read: whole, turned; refused: cut, 56 megapixels")
    else:
        assert entry.state == "failed"
        assert "AssertionError" in entry.text


TEXTUTIL = f"""#!/bin/sh
cp {OLD_DOCUMENT} "${{3%.txt}}.doc"
"""
LIBRE_OFFICE = rf"""#!{sys.executable} -S
import sys, pathlib
folder = pathlib.Path(sys.argv[sys.argv.index("--outdir") + 1])
(folder / "document.docx").write_text(r"{{\rtf1 LETTER}}")
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("letter", "found"),
    [
        ("Tandem reads this letter.", ("ok", "Tandem reads this letter.")),
        ("Another one.", ("failed", "the letter says 'Another one.'")),
    ],
)
def test_an_old_document_is_read_whole(
    confirm: Confirm, install: Callable[[str, str], None], letter: str, found: tuple[str, str]
) -> None:
    install("textutil", TEXTUTIL)
    install("soffice", LIBRE_OFFICE.replace("LETTER", letter))
    entry = confirm("old_document")
    assert (entry.state, entry.text) == found


@pytest.mark.usefixtures("qapp")
def test_scanned_pages_are_pictures_without_text(tmp_path: Path) -> None:
    program = runpy.run_path(str(POINTS / "scanned_pages.py"))
    program["write_scan"](tmp_path / "scan.pdf", {"en": ["The rent"], "ko": ["월세는"]})
    with pypdfium2.PdfDocument(tmp_path / "scan.pdf") as document:
        for page in document:
            assert page.get_textpage().get_text_bounded() == ""
            [picture] = page.get_objects([FPDF_PAGEOBJ_IMAGE])
            width, height = picture.get_px_size()
            assert height > width > 1000
        assert len(document) == 2


def test_letters_of_scanned_pages_are_compared_page_by_page() -> None:
    share_right = runpy.run_path(str(POINTS / "scanned_pages.py"))["share_right"]
    text = "[Page 1, recognized from a picture]\n\nabcde\nfghij\n\n"
    text += "[Page 2, recognized from a picture, some of it uncertain]\n\nzzzz\n\nvwxyz"
    assert share_right(text, 1, ["abcdefghij"]) == 1
    assert share_right(text, 1, ["abcdefghij", "vwxyz"]) == 0.67
    assert share_right(text, 2, ["vw xy"]) == 1
    assert share_right(text, 3, ["vwxyz"]) == 0


@pytest.mark.full
def test_a_mac_is_seen_to_stay_awake_however_slow_pmset_is(
    confirm: Confirm, install: Callable[[str, str], None], tmp_path: Path
) -> None:
    # Of two processes whose reasons sound alike only one is asked about; after its answers it holds nothing.
    install(
        "pmset",
        "#!/bin/sh\nsleep 0.5\necho ' pid 1(python3): named: \"Tandem answers\"'\n"
        f'[ -e {tmp_path}/asked ] || echo " pid $PPID(python3): named: \\"Tandem answers\\""\n'
        f"touch {tmp_path}/asked\n",
    )
    entry = confirm("awake")
    assert (entry.state, entry.text) == ("ok", "an assertion during an answer, none after it")


def test_a_macs_own_name_in_the_network_leads_to_it(
    script: dict[str, Any], install: Callable[[str, str], None], tmp_path: Path
) -> None:
    install("scutil", "#!/bin/sh\necho studio\n")
    (tmp_path / "sitecustomize.py").write_text(
        "import socket\n"
        "resolve = socket.getaddrinfo\n"
        "socket.getaddrinfo = lambda host, *more, **hints: "
        "resolve('127.0.0.1' if host == 'studio.local' else host, *more, **hints)\n"
    )
    command = ["/usr/bin/env", f"PYTHONPATH={tmp_path}:{ROOT}", *script["program"]("local_name")]
    assert script["run"](command) == "IPv4\n"


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "findings"),
    [("same_noise", r"Device\(.*\)"), ("race", r"\{.*\}"), ("next_version", r"999\.0 is offered")],
)
def test_what_a_mac_is_asked_with_our_own_functions_runs_here(confirm: Confirm, name: str, findings: str) -> None:
    entry = confirm(name)
    assert entry.state == "ok", entry.text
    assert re.fullmatch(findings, entry.text)
