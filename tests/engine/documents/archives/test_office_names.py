"""Elements that Office does not know are not shown, and of several forms of a content one is read."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import pytest

from engine.documents.archives.office_names import OfficeNames
from engine.files.safe_xml import safe_xml

_NAMES = (
    'xmlns="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:x="urn:x" xmlns:y="urn:y" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)


def _written(element: Element) -> str:
    """Return the names of an element and of those in it, as `a(b c)` for two in one."""
    inside = " ".join(map(_written, element))
    return f"{element.tag}({inside})" if inside else element.tag


def _read(content: str, more: str = "") -> str:
    root = safe_xml(f"<root {_NAMES} {more}>{content}</root>", OfficeNames())
    return " ".join(map(_written, root))


@pytest.mark.parametrize(
    ("content", "more", "expected"),
    [
        ("<p/>", "", "p"),
        ("<x:p/>", "", "foreign"),
        ("<x:p><t/><x:t/></x:p><p/>", "", "foreign(foreign foreign) p"),
        ("<p><x:t/></p>", 'mc:Ignorable="x"', "p(foreign)"),
        ("<x:p><t/></x:p>", 'mc:Ignorable="x" mc:ProcessContent="x:p"', "processed(t)"),
        ("<x:q><t/></x:q>", 'mc:Ignorable="x" mc:ProcessContent="x:p"', "foreign(foreign)"),
        ("<x:q><y:r/></x:q>", 'mc:ProcessContent="x:*"', "processed(foreign)"),
        ('<p xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"/>', "", "p"),
    ],
)
def test_what_is_not_known_is_foreign_unless_it_is_to_be_processed(content: str, more: str, expected: str) -> None:
    assert _read(content, more) == expected


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        ('<mc:Choice Requires="wps"><a/></mc:Choice><mc:Fallback><b/></mc:Fallback>', "Choice(a) Fallback(b)"),
        ('<mc:Choice Requires="x"><a/></mc:Choice><mc:Fallback><b/></mc:Fallback>', "Fallback(a) Choice(b)"),
        ('<mc:Choice Requires="wps x"><a/></mc:Choice><mc:Fallback><b/></mc:Fallback>', "Fallback(a) Choice(b)"),
        ('<mc:Choice Requires="none"><a/></mc:Choice>', "Fallback(a)"),
        (
            '<mc:Choice Requires="wps"><a/></mc:Choice><mc:Choice Requires="wps"><b/></mc:Choice>',
            "Choice(a) Fallback(b)",
        ),
        ('<mc:Choice Requires="x"><a/></mc:Choice><mc:Choice Requires="wps"><b/></mc:Choice>', "Fallback(a) Choice(b)"),
    ],
)
def test_one_form_is_read(forms: str, expected: str) -> None:
    assert _read(f"<mc:AlternateContent>{forms}</mc:AlternateContent>") == f"AlternateContent({expected})"


def test_forms_in_a_form_are_for_themselves() -> None:
    inner = '<mc:AlternateContent><mc:Choice Requires="x"/><mc:Fallback/></mc:AlternateContent>'
    outer = f'<mc:Choice Requires="wps">{inner}</mc:Choice><mc:Fallback/>'
    expected = "AlternateContent(Choice(AlternateContent(Fallback Choice)) Fallback)"
    assert _read(f"<mc:AlternateContent>{outer}</mc:AlternateContent>") == expected
