"""Files within the objects that documents of Office embed are read as other attached files are."""

from __future__ import annotations

import struct

import pytest

from engine.documents.archives.ole_packages import COMPOUND_FILE, PackagedFile, packaged_file
from tests.engine.documents.ole_objects import compound, native


@pytest.mark.parametrize("content", [b"%PDF-1.4 short", b"x" * 5000], ids=["small", "large"])
def test_a_package_gives_its_file_and_the_name(content: bytes) -> None:
    found = packaged_file(compound("\1Ole10Native", native(b"offer.pdf", content)))
    assert found == PackagedFile("offer.pdf", content)


@pytest.mark.parametrize(
    ("stream", "content"),
    [("Package", b"PK\3\4 a book"), ("CONTENTS", b"%PDF-1.7 " + b"x" * 6000)],
    ids=["Office", "Acrobat"],
)
def test_a_document_that_is_a_stream_has_no_name(stream: str, content: bytes) -> None:
    assert packaged_file(compound(stream, content)) == PackagedFile("", content)


@pytest.mark.parametrize(
    "data",
    [b"", b"%PDF-", compound("CONTENTS", b"no PDF"), compound("Equation Native", b"x")],
    ids=["nothing", "another file", "other contents", "equation"],
)
def test_other_objects_have_no_file(data: bytes) -> None:
    assert packaged_file(data) is None


@pytest.mark.parametrize(
    "data",
    [
        COMPOUND_FILE,
        compound("\1Ole10Native", b"\1" * 20),
        compound("\1Ole10Native", native(b"a", b"x" * 5000)[:4500]),
        compound("CONTENTS", b"%PDF-" + b"x" * 5000).replace(struct.pack("<Q", 5005), struct.pack("<Q", 9000), 1),
        compound("CONTENTS", b"%PDF-" + b"x" * 500).replace(struct.pack("<Q", 505), struct.pack("<Q", 900), 1),
        compound("Package", b"PK\3\4" + b"x" * 5000).replace(struct.pack("<2I", 4, 5), struct.pack("<2I", 3, 5), 1),
    ],
    ids=["header only", "no names", "cut stream", "longer size", "longer small size", "endless"],
)
def test_a_damaged_object_is_said_to_be_one(data: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        packaged_file(data)
