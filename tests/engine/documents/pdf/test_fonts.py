"""Composite fonts of PDF files: encodings that the specification names, that files bring, and none that is known."""

from __future__ import annotations

import pytest
from pypdf.generic import StreamObject

from engine.documents.document import DocumentText
from tests.engine.documents.pdf_pages import PageFile, stream

TO_UNICODE = b"1 begincodespacerange <00> <ffff> endcodespacerange %d beginbfchar %s endbfchar"


def read(encoding: object, *strings: bytes, to_unicode: bytes | str = b"") -> DocumentText:
    """Return what is read of strings, each on a line, in a composite font."""
    file = PageFile()
    system = {"Registry": b"Adobe", "Ordering": b"Identity", "Supplement": 0}
    descriptor = {"Type": "/FontDescriptor", "FontName": "/Foo", "Flags": 4}
    glyphs = {"Type": "/Font", "Subtype": "/CIDFontType0", "BaseFont": "/Foo", "DW": 1000, "CIDSystemInfo": system}
    encoding = file.refer(encoding) if isinstance(encoding, StreamObject) else encoding
    font = {"Type": "/Font", "Subtype": "/Type0", "BaseFont": "/Foo", "Encoding": encoding}
    font["DescendantFonts"] = [{**glyphs, "FontDescriptor": descriptor}]
    if to_unicode:
        font["ToUnicode"] = to_unicode if isinstance(to_unicode, str) else file.refer(stream(to_unicode))
    file.add("Font", "F2", font)
    lines = b" T* ".join(b"<%s> Tj" % string.hex().encode() for string in strings)
    return file.read(b"BT /F2 12 Tf 14 TL 50 700 Td %s ET" % lines)


@pytest.mark.parametrize(
    ("names", "codec", "text"),
    [
        ("KSCms-UHC-H KSCms-UHC-V KSCms-UHC-HW-H KSCms-UHC-HW-V", "cp949", "계산서 No. 12, 똠방각하"),
        ("KSC-EUC-H KSC-EUC-V KSCpc-EUC-H", "euc_kr", "계산서 No. 12"),
        ("90ms-RKSJ-H 90ms-RKSJ-V 90msp-RKSJ-H 90msp-RKSJ-V Ext-RKSJ-H", "cp932", "請求書 No. ①, テスト"),
        ("83pv-RKSJ-H 90pv-RKSJ-H Add-RKSJ-H Add-RKSJ-V", "shift_jis", "請求書 No. 12, ﾃｽﾄ"),
        ("EUC-H EUC-V", "euc_jp", "請求書 No. 12, ﾃｽﾄ"),
        ("H", "iso2022_7", "請求書"),
        ("GB-EUC-H GB-EUC-V GBpc-EUC-H GBK-EUC-H GBK-EUC-V GBKp-EUC-H GBK2K-H", "gbk", "会议 No. 12 — 简体"),
        ("B5pc-H B5pc-V ETen-B5-H ETen-B5-V ETenms-B5-H HKscs-B5-H", "big5", "發票 No. 12"),
        ("ETen-B5-H HKscs-B5-H", "big5hkscs", "の ① Я"),
        ("HKscs-B5-H", "big5hkscs", "嘅 喺"),
        ("UniKS-UTF16-H UniKS-UCS2-H UniGB-UCS2-H UniGB-UCS2-V", "utf-16-be", "계산서 請求書 会议 A"),
    ],
)
def test_encodings_that_the_specification_names_are_read(names: str, codec: str, text: str) -> None:
    for name in names.split():
        found = read(f"/{name}", encoded(text, codec))
        assert (found.text, found.left_out) == (text, ()), name


@pytest.mark.parametrize(
    ("names", "codec", "text"),
    [
        ("KSCpc-EUC-V", "euc_kr", "계산서"),
        ("KSC-Johab-H", "johab", "계산서"),
        ("78ms-RKSJ-H 78-RKSJ-H RKSJ-H 90pv-RKSJ-V 83pv-RKSJ-V", "shift_jis", "請求書"),
        ("78-EUC-H", "euc_jp", "請求書"),
        ("78-H Ext-H", "iso2022_7", "請求書"),
        ("KSC-H", "ksc_7", "계산서"),
        ("GB-H", "gb_7", "会议"),
        ("B5-H ETHK-B5-H HKdla-B5-H", "big5", "發票"),
        ("CNS-EUC-H GBT-EUC-H Some-Own-H", "euc_jp", "請求書"),
        ("UniKS-UTF8-H UniJIS-UTF8-H UniGB-UTF8-H UniCNS-UTF8-H", "utf-8", "계산서 請求書"),
        ("UniKS-UTF32-H UniJISX0213-UTF32-H", "utf-32-be", "계산서 請求書"),
        ("UniJIS2004-UTF16-H", "utf-16-be", "請求書"),
    ],
)
def test_encodings_that_pdfium_does_not_know_are_unreadable_and_never_other_letters(
    names: str, codec: str, text: str
) -> None:
    for name in names.split():
        found = read(f"/{name}", encoded(text, codec))
        assert (found.text, found.left_out) == ("[Left out: 1 unreadable passage]", (("unreadable-text", 1),)), name


def encoded(text: str, codec: str) -> bytes:
    """Return the codes of a text; those of seven bits are those of eight without the highest."""
    seven_bits = {"iso2022_7": "euc_jp", "ksc_7": "euc_kr", "gb_7": "gb2312"}
    if codec in seven_bits:
        return bytes(byte & 0x7F for byte in text.encode(seven_bits[codec]))
    return text.encode(codec)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        # Letters are shown from the left here, as they are placed; digits are, too.
        ("رعسلا", "السعر"),
        ("١٢٠", "١٢٠"),
        ("رعسلا ١٢٫٥", "١٢٫٥ السعر"),
        ("١٢٫٥ رعسلا", "السعر ١٢٫٥"),
        ("٢٠٢٦/٠٥/٠٤", "٢٠٢٦/٠٥/٠٤"),
        ("۱۲۰ ", "۱۲۰"),
    ],
)
def test_digits_of_arabic_are_read_from_the_left(shown: str, text: str) -> None:
    assert read("/UniKS-UTF16-H", shown.encode("utf-16-be")).text == text


def test_signs_that_apple_added_are_read() -> None:
    assert read("/90pv-RKSJ-H", b"A\xfd\xfe\xff").text == "A©™…"
    assert read("/KSCpc-EUC-H", b"\x81\xb0\xe8\xff").text == "₩계⋯"


def test_glyphs_that_nothing_maps_are_left_out_and_counted() -> None:
    assert read("/Identity-H", b"\0\x24\0\x25").text == "[Left out: 1 unreadable passage]"


def test_what_a_file_maps_itself_comes_first() -> None:
    mapped = TO_UNICODE % (2, b"<b0e8> <0041> <42> <ac00>")
    assert read("/KSCms-UHC-H", "계B산".encode("cp949"), to_unicode=mapped).text == "A가산"


@pytest.mark.parametrize(
    "mapped",
    [
        TO_UNICODE % (2, b"<0024> <0041> <0025> <00660069>"),
        b"1 beginbfrange\n<0024>\n<0024> <0041>\nendbfrange 1 beginbfrange <00 25> <0025> [ <0066 0069> ] endbfrange",
    ],
)
def test_glyphs_that_a_file_maps_are_read_and_others_are_counted(mapped: bytes) -> None:
    assert read("/Identity-H", b"\0\x24\0\x25", to_unicode=mapped).text == "Afi"
    found = read("/Identity-H", b"\0\x24\0\x42\0\x25", to_unicode=mapped)
    assert found.text == "A\ufffdfi\n\n[Left out: 1 unreadable passage]"


def test_an_encoding_of_the_file_divides_its_strings() -> None:
    spaces = b"2 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange"
    mapped = TO_UNICODE % (2, b"<41> <0061> <8142> <ac00>")
    assert read(stream(spaces, CMapName="/Own"), b"A\x81\x42A", to_unicode=mapped).text == "a가a"


def test_a_file_that_maps_millions_of_codes_is_read_within_bounds() -> None:
    mapped = b"1 beginbfrange <00000000> <ffffffff> <0041> endbfrange"
    assert read("/Identity-H", b"\0\0\0\1", to_unicode=mapped).text == "AB"


def test_letters_that_only_a_font_knows_are_marked_and_bullets_are_read() -> None:
    mapped = TO_UNICODE % (4, b"<01> <e000> <02> <f0b7> <03> <004f> <04> <0066>")
    found = read("/Identity-H", b"\0\2\0\3\0\4\0\1", to_unicode=mapped)
    assert found.text == "•Of\ufffd\n\n[Left out: 1 unreadable passage]"


@pytest.mark.parametrize(
    "spaces",
    [b"", b"<0003> <0020>", b"<0003> <00a0>"],
    ids=["no space", "a narrow space", "a space that breaks no line"],
)
def test_only_what_the_file_says_is_a_space_tells_how_wide_gaps_are(spaces: bytes) -> None:
    """XeTeX shows no spaces; the glyph of number 32 is any glyph, such as a wide "%"."""
    letters = dict(enumerate("Thelamp", 0x41)) | {0x20: "%"}
    mapped = b" ".join(b"<%04x> <%04x>" % (code, ord(letter)) for code, letter in letters.items())
    file = PageFile()
    widths = [3, [250], 32, [938], 0x41, [500] * 7]
    glyphs = {"Type": "/Font", "Subtype": "/CIDFontType0", "BaseFont": "/Foo", "DW": 280, "W": widths}
    font = {"Type": "/Font", "Subtype": "/Type0", "BaseFont": "/Foo", "Encoding": "/Identity-H"}
    count = len(letters) + bool(spaces)
    to_unicode = file.refer(stream(b"%d beginbfchar %s %s endbfchar" % (count, mapped, spaces)))
    file.add("Font", "F2", {**font, "DescendantFonts": [file.refer(glyphs)], "ToUnicode": to_unicode})
    shown = b"[<004100420043> -333 <00440045004600470020>] TJ"
    assert file.read(b"BT /F2 12 Tf 50 700 Td %s ET" % shown).text == "The lamp%"


def test_half_of_a_surrogate_pair_is_no_letter() -> None:
    found = read("/Identity-H", b"\0\1\0\2\0\3", to_unicode=TO_UNICODE % (3, b"<01> <0078> <02> <d835> <03> <0079>"))
    assert found.text == "x\ufffdy\n\n[Left out: 1 unreadable passage]"
