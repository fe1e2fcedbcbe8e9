"""Small files of strangers that take long to read."""

from __future__ import annotations

import io
import zlib

from PIL import Image


def slow_jpeg(side: int, scans: int, shade: int = 90) -> bytes:
    """Return a square JPEG of one shade of grey in which a scan comes `scans` times; each takes time for all pixels."""
    file = io.BytesIO()
    Image.new("L", (side, side), shade).save(file, "JPEG", progressive=True)
    data = file.getvalue()
    # A scan begins with SOS, and lasts until the next marker; 0 stands behind an 0xFF that is no marker. The last one
    # refines what there is, of which there is nothing in a flat picture.
    begin = data.rindex(b"\xff\xda")
    end = next(at for at in range(begin + 2, len(data)) if data[at] == 0xFF and data[at + 1] != 0)
    return data[:end] + data[begin:end] * scans + data[end:]


def slow_pdf(pages: int, operators: int) -> bytes:
    """Return a PDF file of few kilobytes: the same page comes `pages` times, and shows text `operators` times."""
    shown = zlib.compress(b"BT /F1 9 Tf 9 9 Td " + b"(a) Tj 0 0 Td " * operators + b"ET")
    return _pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, b"3 0 R " * pages),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(shown), shown),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )


def deep_pdf(depth: int) -> bytes:
    """Return a PDF file with lists in lists."""
    return _pdf(b"<</Type/Catalog/Pages 2 0 R/A %s%s>>" % (b"[" * depth, b"]" * depth), b"<</Kids[]/Count 0>>")


def bomb_pdf(megabytes: int) -> bytes:
    """Return a PDF file whose page is a stream that becomes large when it is decompressed twice."""
    shown = zlib.compress(_compressed(b"(a) Tj " * (2**20 // 7), megabytes), 9)
    filters = b"/Filter[/FlateDecode/FlateDecode]"
    return _pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<<>>>>",
        b"<</Length %d%s>>stream\n%s\nendstream" % (len(shown), filters, shown),
    )


def _compressed(unit: bytes, times: int) -> bytes:
    """Return the zlib stream of a text that consists of `unit` so many times, which takes a second if it is made."""
    compressor = zlib.compressobj(9, wbits=-15)
    once = compressor.compress(unit) + compressor.flush(zlib.Z_FULL_FLUSH)
    checksum = 1
    for _ in range(times):
        checksum = zlib.adler32(unit, checksum)
    return b"\x78\xda" + once * times + b"\x03\x00" + checksum.to_bytes(4, "big")


def _pdf(*objects: bytes, entries: int | None = None) -> bytes:
    """Return a file with these objects, and a table that claims to have `entries`."""
    data, places = b"%PDF-1.7\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = entries or len(objects) + 1
    trailer = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(data))
    return data + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + trailer


def wide_pdf(entries: int) -> bytes:
    """Return a PDF file whose table of objects claims to have `entries`."""
    return _pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Kids[]/Count 0>>", entries=entries)
