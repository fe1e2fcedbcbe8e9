"""Headings and named texts of tagged PDF files (ISO 32000-2, 14.7 to 14.9), however their structure refers to them."""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import HELVETICA, PageFile, stream


def tagged(*elements: dict[str, object], roles: dict[str, str] | None = None) -> PageFile:
    """Return a file whose page has a structure of such elements; "Kids" are elements in one."""
    file = PageFile()
    root = file.refer({"Type": "/StructTreeRoot"})
    leaves: list[object] = []

    def add(element: dict[str, object], parent: object) -> object:
        entries = {key: value for key, value in element.items() if key != "Kids"}
        page = file.page.indirect_reference
        added = file.refer({"Type": "/StructElem", "P": parent, "Pg": page, **entries})
        kids = element.get("Kids", [])
        assert isinstance(kids, list)
        if kids:
            added.get_object().update(stream(b"", K=[add(kid, added) for kid in kids]))
        leaves.append(added)
        return added

    kids = [add(element, root) for element in elements]
    tree = {"K": kids, "ParentTree": {"Nums": [0, leaves]}, "RoleMap": roles or {}}
    root.get_object().update(stream(b"", **tree))
    file.catalog("StructTreeRoot", root)
    file.catalog("MarkInfo", {"Marked": True})
    file.page.update(stream(b"", StructParents=0))
    return file


def shown(*lines: bytes) -> bytes:
    """Return the content of a page whose lines are marked contents with numbers from 0."""
    marked = (b"/P <</MCID %d>> BDC (%s) Tj EMC T*" % (number, line) for number, line in enumerate(lines))
    return b"BT /F1 12 Tf 72 700 Td 14 TL %s ET" % b" ".join(marked)


@pytest.mark.parametrize(
    ("element", "mark"),
    [
        ({"S": "/H1", "K": 0}, "#"),
        ({"S": "/H3", "K": [0]}, "###"),
        ({"S": "/H2", "K": {"Type": "/MCR", "MCID": 0}}, "##"),
        ({"S": "/H2", "K": [{"Type": "/MCR", "MCID": 0}]}, "##"),
        ({"S": "/Title", "K": 0}, "#"),
        ({"S": "/Own", "K": 0}, "####"),
        ({"S": "/H2", "Kids": [{"S": "/Span", "K": 0}]}, "##"),
        ({"S": "/Sect", "Kids": [{"S": "/Sect", "Kids": [{"S": "/H", "K": 0}]}]}, "##"),
        ({"S": "/H", "K": 0}, "#"),
    ],
)
def test_a_heading_is_one(element: dict[str, object], mark: str) -> None:
    file = tagged(element, {"S": "/P", "K": 1}, roles={"Own": "/H4"})
    assert file.read(shown(b"Terms", b"Pay in May.")).text == f"{mark} Terms\n\nPay in May."


def test_the_lines_of_a_heading_are_one_and_two_headings_are_two() -> None:
    file = tagged({"S": "/H1", "K": [0, 1]}, {"S": "/H1", "K": 2}, {"S": "/P", "K": 3})
    assert (
        file.read(shown(b"Terms of", b"payment", b"When", b"In May.")).text == "# Terms of payment\n\n# When\n\nIn May."
    )


def test_a_word_of_a_paragraph_that_is_marked_as_a_heading_makes_none() -> None:
    file = tagged({"S": "/H1", "K": 0}, {"S": "/P", "K": 1})
    content = b"BT /F1 12 Tf 72 700 Td /P <</MCID 0>> BDC (Note: ) Tj EMC /P <</MCID 1>> BDC (pay.) Tj EMC ET"
    assert file.read(content).text == "Note: pay."


def test_contents_of_a_form_have_numbers_of_their_own() -> None:
    file = tagged({"S": "/H1", "K": 0})
    marked = b"BT /F1 12 Tf 72 600 Td /P <</MCID 0>> BDC (Within) Tj EMC ET"
    form = stream(marked, Subtype="/Form", BBox=[0, 0, 600, 800], Resources={"Font": {"F1": HELVETICA}})
    file.add("XObject", "Form", file.refer(form))
    assert file.read(shown(b"Terms") + b" /Form Do").text == "# Terms\n\nWithin"


def test_a_text_that_an_element_names_stands_for_its_contents() -> None:
    file = tagged({"S": "/P", "K": 0}, {"S": "/Span", "ActualText": b"office", "K": 1}, {"S": "/P", "K": 2})
    assert file.read(shown(b"The", b"o?ce", b"is open.")).text == "The\noffice\nis open."


@pytest.mark.parametrize("kids", [[], [{"S": "/H1", "K": 7}], [{"S": "/H1", "K": -1}], [{"S": "/H1", "K": {}}]])
def test_a_structure_without_contents_of_the_page_says_nothing(kids: list[dict[str, object]]) -> None:
    assert tagged(*kids).read(shown(b"Terms")).text == "Terms"
