"""What of a page of a PDF file can be seen: text without ink, contrast, size or place, and in layers that are off."""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import HELVETICA, PageFile, stream

SEEN = b"BT /F1 14 Tf 72 700 Td (Seen) Tj ET "
GREY = {"ColorSpace": "/DeviceGray", "BitsPerComponent": 8}
LEFT_OUT = "[Left out: 1 hidden passage]"
SECRET = b"BT /F1 10 Tf 72 650 Td (Secret) Tj ET"


def is_hidden(content: bytes, file: PageFile | None = None) -> bool:
    """Return whether the word "Secret" is left out and counted, beside a word that is read."""
    found = (file or PageFile()).read(SEEN + content)
    if "Secret" in found.text:
        assert found.left_out == ()
        return False
    assert found.text == f"Seen\n\n{LEFT_OUT}"
    return True


@pytest.mark.parametrize(
    "content",
    [
        b"3 Tr " + SECRET,
        b"BT /F1 10 Tf 7 Tr 72 650 Td [(Sec) -20 (ret)] TJ ET",
        b"BT /F1 10 Tf 3 Tr 72 650 Td 12 TL (Secret) ' ET",
        b'BT /F1 10 Tf 3 Tr 72 650 Td 12 TL 0 0 (Secret) " ET',
        b"1 g " + SECRET,
        b"0.99 0.98 1 rg " + SECRET,
        b"0 0 0 0 k " + SECRET,
        b"/DeviceRGB cs 1 1 1 sc " + SECRET,
        b"/Icc cs 1 1 1 scn " + SECRET,
        b"/Ink cs 0 scn " + SECRET,
        b"1 Tr 1 G " + SECRET,
        b"2 Tr 1 G 1 g " + SECRET,
        b"0 0 1 rg 50 600 300 80 re f " + SECRET,
        b"0.2 g 50 600 m 350 600 l 350 680 l 50 680 l h f " + SECRET,
        b"0 g 0 0 600 20 re f 1 g 50 600 300 80 re f " + SECRET,
        b"1 0 0 rg 51 601 298 78 re 50 600 300 80 re f* 1 g " + SECRET,
        b"0 0 1 rg 50 600 300 80 re 400 600 9 9 re f* " + SECRET,
        b"/Clear gs " + SECRET,
        b"BT /F1 10 Tf 5000 700 Td (Secret) Tj ET",
        b"BT /F1 10 Tf 5000 Tc 72 700 Td ( ) Tj (Secret) Tj ET",
        b"BT /F1 10 Tf 1 0 0 1 72 -30 Tm (Secret) Tj ET",
        b"q 1 0 0 1 -900 0 cm " + SECRET + b" Q",
        b"q 50 100 300 80 re W n " + SECRET + b" Q",
        b"q 50 600 300 80 re W n 50 100 300 80 re W* n " + SECRET + b" Q",
        b"q 60 640 4 20 re W n BT /F1 10 Tf 72 650 Td [(Sec) 9 (ret)] TJ ET Q",
        b"BT /F1 10 Tf 72 650 Td [-100000 (Secret)] TJ ET",
        b"BT /F1 10 Tf 100 400 Td 1000 Tz [-20000 (Secret)] TJ ET",
        b"BT /F1 10 Tf 5000 Tw 72 650 Td ( ) Tj (Secret) Tj ET",
        b"BT /F1 10 Tf 5000 Tw 72 650 Td [( ) (Secret)] TJ ET",
        b"BT /F1 10 Tf -900 Ts 72 650 Td (Secret) Tj ET",
        b"BT /F1 1 Tf 72 650 Td (Secret) Tj ET",
        b"BT /F1 10 Tf 0.1 0 0 0.1 72 650 Tm (Secret) Tj ET",
        b"q 0.05 0 0 0.05 0 0 cm BT /F1 20 Tf 72 650 Td (Secret) Tj ET Q",
    ],
)
def test_text_that_nobody_sees_is_left_out_and_counted(content: bytes) -> None:
    file = PageFile()
    file.add("ColorSpace", "Icc", ["/ICCBased", file.refer(stream(b"", N=3))])
    file.add("ColorSpace", "Ink", ["/Separation", "/Spot", "/DeviceCMYK", {"FunctionType": 2}])
    file.add("ExtGState", "Clear", {"ca": 0})
    # Blue on blue, and grey on grey.
    behind = b"0 0 1 rg " if b"0 0 1 rg" in content else b"0.2 g " if b"0.2 g" in content else b""
    assert is_hidden(content.replace(SECRET, behind + SECRET), file)


@pytest.mark.parametrize(
    "content",
    [
        SECRET,
        b"0.8 g " + SECRET,
        b"BT /F1 10 Tf 900 Ts 72 -250 Td (Secret) Tj ET",
        b"BT /F1 10 Tf -5 Tw 72 650 Td ( ) Tj (Secret) Tj ET",
        b"1 1 0 rg " + SECRET,
        b"0 0 1 rg 50 600 300 80 re f 1 g " + SECRET,
        b"0 0 1 rg 50 640 m 300 640 l 350 660 l 300 680 l 50 680 l h f 1 g " + SECRET,
        b"0 g 51 601 298 78 re 50 600 300 80 re f* " + SECRET,
        b"0 g 50 600 300 80 re 51 601 298 78 re B* " + SECRET,
        b"0 g 51 601 298 78 re 50 600 300 80 re 0 0 9 9 re f* " + SECRET,
        b"0 g " + b"51 601 298 78 re 50 600 300 80 re " * 51 + b"f* " + SECRET,
        b"30 w 50 655 m 350 655 l S 1 g " + SECRET,
        b"q 300 0 0 80 50 600 cm /Picture Do Q 1 g " + SECRET,
        b"50 600 300 80 re W n /Shade sh 1 g " + SECRET,
        b"q 70 640 8 20 re W n " + SECRET + b" Q",
        b"q 74 640 8 20 re W n " + SECRET + b" Q",
        b"q 50 100 300 80 re W n Q " + SECRET,
        b"/Pattern cs /P1 scn 50 600 300 80 re f 1 g " + SECRET,
        b"/Pattern cs /P1 scn " + SECRET,
        b"q 300 0 0 80 50 600 cm BI /W 1 /H 1 /BPC 8 /CS /G ID a EI Q 1 g " + SECRET,
        b"q 1 0 0 1 50 600 cm /Bar Do Q 1 g " + SECRET,
        b"2 Tr 1 g 0 G " + SECRET,
        b"1 Tr 1 g 0 G " + SECRET,
        b"q 3 Tr Q " + SECRET,
        b"q 1 g Q " + SECRET,
        b"BT 0.5 0 0 0.5 0 0 Tm /F1 10 Tf 1 0 0 1 72 650 Tm (Secret) Tj ET",
        b"BT /F1 1 Tf 12 0 0 12 72 650 Tm (Secret) Tj ET",
        b"BT /F1 12 Tf -12 650 Td (Secret) Tj ET",
        b"BT /F1 12 Tf 0 1 -1 0 72 650 Tm (Secret) Tj ET",
        b"/Off BMC " + SECRET + b" EMC",
        b"q BT /F1 10 Tf 7 Tr 72 650 Td (Secret) Tj ET /Shade sh Q",
        b"q BT /F1 10 Tf 7 Tr 72 650 Td (Secret) Tj ET 1 0 0 rg 50 600 300 80 re f Q",
    ],
)
def test_what_may_be_seen_is_read(content: bytes) -> None:
    file = PageFile()
    file.add("XObject", "Picture", file.refer(stream(b"a", Subtype="/Image", Width=1, Height=1, **GREY)))
    file.add("XObject", "Bar", file.refer(stream(b"0 g 0 0 300 80 re f", Subtype="/Form", BBox=[0, 0, 300, 80])))
    blue = {"FunctionType": 2, "Domain": [0, 1], "C0": [0, 0, 1], "C1": [0, 0, 0.5], "N": 1}
    shading = {"ShadingType": 2, "ColorSpace": "/DeviceRGB", "Coords": [0, 0, 600, 0], "Function": blue}
    file.add("Shading", "Shade", shading)
    file.add("Pattern", "P1", {"PatternType": 2, "Shading": shading})
    assert not is_hidden(content, file)


def test_blanks_and_gaps_that_are_shown_end_no_hidden_passage() -> None:
    content = b"BT /F1 10 Tf 72 700 Td (Seen) Tj 3 Tr (x) Tj 0 Tr ( ) Tj [-200] TJ 3 Tr (y) Tj ET"
    assert PageFile().read(content).text == f"Seen\n\n{LEFT_OUT}"


@pytest.mark.parametrize(
    "content",
    [
        b"q 600 0 0 800 0 0 cm /Picture Do Q 3 Tr " + SECRET,
        b"3 Tr " + SECRET + b" q 600 0 0 800 0 0 cm /Picture Do Q",
        b"q 600 0 0 400 0 400 cm /Picture Do Q q 600 0 0 400 0 0 cm /Picture Do Q 3 Tr " + SEEN + SECRET,
        b"/Scan Do BT 3 Tr /F1 10 Tf 72 650 Td (Secret) Tj ET",
        # Letters that are drawn as paths.
        b"0 g 72 650 4 8 re f 80 650 4 8 re f 3 Tr " + SECRET,
    ],
)
def test_what_was_recognised_in_a_scan_is_read(content: bytes) -> None:
    file = PageFile()
    picture = file.refer(stream(b"a", Subtype="/Image", Width=1, Height=1, **GREY))
    file.add("XObject", "Picture", picture)
    form = stream(b"600 0 0 800 0 0 cm /Within Do", Subtype="/Form", BBox=[0, 0, 600, 800])
    form.update(stream(b"", Resources={"XObject": {"Within": picture}}))
    file.add("XObject", "Scan", file.refer(form))
    found = file.read(content)
    assert "Secret" in found.text
    assert found.left_out == ()


def test_a_picture_behind_a_page_that_is_read_makes_it_no_scan() -> None:
    file = PageFile()
    file.add("XObject", "Picture", file.refer(stream(b"a", Subtype="/Image", Width=1, Height=1, **GREY)))
    behind = b"q 600 0 0 800 0 0 cm /Picture Do Q "
    lines = b"".join(b"q 1 0 0 1 0 %d cm %s Q " % (height, SEEN) for height in (40, 20, 0))
    found = file.read(behind + lines + b"3 Tr " + SECRET)
    assert found.text == f"Seen\nSeen\nSeen\n\n{LEFT_OUT}"


def test_a_form_that_is_damaged_loses_only_its_own_text() -> None:
    file = PageFile()
    form = stream(b"BT (Secret) Tj <zz> Tj ET", Subtype="/Form", BBox=[0, 0, 600, 800])
    file.add("XObject", "Form", file.refer(form))
    assert file.read(b"/Form Do " + SEEN).text == "Seen"


def test_a_note_of_a_layer_that_is_off_is_left_out() -> None:
    file, layers = layered({"OFF": [0]})
    notes = [{"Subtype": "/FreeText", "Contents": b"secret", "OC": layer} for layer in layers]
    file.annotate(notes)
    assert file.read(SEEN).text == f"Seen\n\n[Note: secret]\n\n{LEFT_OUT}"


def layered(usual: dict[str, object]) -> tuple[PageFile, list[object]]:
    """Return a file with the layers "one" and "two", where `usual` names which are off by their indices."""
    file = PageFile()
    layers = [file.refer({"Type": "/OCG", "Name": b"one"}), file.refer({"Type": "/OCG", "Name": b"two"})]
    named = {key: [layers[i] for i in value] if isinstance(value, list) else value for key, value in usual.items()}
    file.catalog("OCProperties", {"OCGs": layers, "D": named})
    file.add("Properties", "One", layers[0])
    file.add("Properties", "Two", layers[1])
    return file, list(layers)


@pytest.mark.parametrize(
    ("usual", "layer", "hidden"),
    [
        ({"OFF": [0]}, b"/One", True),
        ({"OFF": [0]}, b"/Two", False),
        ({"BaseState": "/OFF"}, b"/One", True),
        ({"BaseState": "/OFF", "ON": [0]}, b"/One", False),
        ({}, b"/One", False),
    ],
)
def test_a_layer_that_is_off_is_left_out(usual: dict[str, object], layer: bytes, hidden: bool) -> None:
    file, _ = layered(usual)
    nested = b"/OC %s BDC /Span <</Lang (en)>> BDC %s EMC EMC" % (layer, SECRET)
    assert is_hidden(nested, file) == hidden


@pytest.mark.parametrize(
    ("membership", "hidden"),
    [
        ({}, False),
        ({"P": "/AllOn"}, True),
        ({"P": "/AnyOff"}, False),
        ({"P": "/AllOff"}, True),
        ({"VE": ["/Not", 1]}, True),
        ({"VE": ["/And", 0, 1]}, True),
        ({"VE": ["/Or", 0, ["/Not", 0]]}, False),
    ],
)
def test_content_of_several_layers_is_left_out_as_their_dictionary_says(
    membership: dict[str, object], hidden: bool
) -> None:
    file, layers = layered({"OFF": [0]})

    def referred(value: object) -> object:
        if isinstance(value, list):
            return [referred(entry) for entry in value]
        return layers[value] if isinstance(value, int) else value

    entries = {key: referred(value) for key, value in membership.items()}
    file.add("Properties", "Both", file.refer({"Type": "/OCMD", "OCGs": layers, **entries}))
    assert is_hidden(b"/OC /Both BDC %s EMC" % SECRET, file) == hidden


def test_a_form_of_a_layer_that_is_off_is_left_out() -> None:
    file, layers = layered({"OFF": [0]})
    resources = {"Font": {"F1": HELVETICA}}
    form = stream(SECRET, Subtype="/Form", BBox=[0, 0, 600, 800], OC=layers[0], Resources=resources)
    file.add("XObject", "Draft", file.refer(form))
    assert is_hidden(b"/Draft Do", file)


def test_a_form_is_read_as_it_is_drawn_each_time() -> None:
    file = PageFile()
    resources = {"Font": {"F1": HELVETICA}}
    form = stream(b"BT /F1 10 Tf 0 0 Td (Word) Tj ET", Subtype="/Form", BBox=[0, 0, 99, 99], Resources=resources)
    file.add("XObject", "Form", file.refer(form))
    drawn = b"q 1 0 0 1 %d 600 cm %s /Form Do Q "
    found = file.read(drawn % (72, b"") + drawn % (900, b"") + drawn % (72, b"1 g") + drawn % (172, b"0.5 g"))
    assert found.text.count("Word") == 2
    assert found.left_out == (("hidden-text", 1),)


def test_a_form_without_resources_takes_those_of_its_page() -> None:
    file = PageFile()
    file.add("XObject", "Form", file.refer(stream(SECRET, Subtype="/Form", BBox=[0, 0, 600, 800])))
    assert not is_hidden(b"/Form Do", file)


def test_a_form_that_draws_itself_is_read_once_and_no_more() -> None:
    file = PageFile()
    form = stream(SECRET + b" /Form Do", Subtype="/Form", BBox=[0, 0, 600, 800])
    reference = file.refer(form)
    form.update(stream(b"", Resources={"Font": {"F1": HELVETICA}, "XObject": {"Form": reference}}))
    file.add("XObject", "Form", reference)
    assert file.read(b"/Form Do").text.count("Secret") == 1


def test_only_the_part_of_the_page_that_is_shown_counts() -> None:
    file = PageFile()
    file.page.cropbox.upper_right = (600, 675)
    found = file.read(SEEN + SECRET)
    assert found.text == f"Secret\n\n{LEFT_OUT}"


def test_words_around_hidden_text_stay_apart_and_passages_are_counted() -> None:
    content = b"BT /F1 10 Tf 72 650 Td (One) Tj 3 Tr (x) Tj (y) Tj 0 Tr (two) Tj 3 Tr (z) Tj ET"
    found = PageFile().read(content)
    assert found.text == "One two\n\n[Left out: 2 hidden passages]"


def test_operands_of_broken_contents_are_passed_over() -> None:
    file = PageFile()
    broken = b"(a) g /X /Y rg Q Q EMC /No gs 1 2 re f (x) Tf /OC BDC /None Do [(y)] cs "
    assert file.read(broken + b"EMC " + SEEN).text == "Seen"


@pytest.mark.parametrize(("group", "hidden"), [({"S": "/Transparency"}, True), (None, False)])
def test_what_is_in_a_group_without_opacity_is_not_seen(group: object, hidden: bool) -> None:
    file = PageFile()
    file.add("ExtGState", "Clear", {"ca": 0, "CA": 0})
    file.add("ExtGState", "Full", {"ca": 1, "CA": 1})
    entries = {} if group is None else {"Group": group}
    form = stream(b"/Full gs " + SECRET, Subtype="/Form", BBox=[0, 0, 600, 800], **entries)
    file.add("XObject", "Form", file.refer(form))
    assert is_hidden(b"q /Clear gs /Form Do Q", file) == hidden


@pytest.mark.full
def test_words_as_large_as_a_page_of_any_size_are_read_within_bounds() -> None:
    file = PageFile()
    file.page.mediabox.upper_right = (10_000_000, 10_000_000)
    large = b"BT /F1 2000000 Tf 100 100 Td (Seen) Tj ET 1 g BT /F1 2000000 Tf 100 5000000 Td (Secret) Tj ET"
    assert file.read(large).text == f"Seen\n\n{LEFT_OUT}"
