"""Parts of archives are found in every way that the Open Packaging Conventions (ECMA-376, part 2) let them be named."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from engine.documents.document import document_text
from tests.engine.documents.office_files import open_document, zipped

_TYPE = "application/vnd.openxmlformats-officedocument"
_MAIN = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}
_MEDIA_TYPES = {
    "docx": f"{_TYPE}.wordprocessingml.document.main+xml",
    "xlsx": f"{_TYPE}.spreadsheetml.sheet.main+xml",
    "pptx": f"{_TYPE}.presentationml.presentation.main+xml",
}
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT_RELATIONS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_CORE = f"{_PACKAGE}/relationships/metadata/core-properties"
_NAMESPACES = {
    "docx": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "xlsx": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "pptx": "http://schemas.openxmlformats.org/presentationml/2006/main",
}


class _Package(NamedTuple):
    """How a package is written; `second` is the part with the words, to which the main part leads."""

    form: str
    main: str
    second: str
    types: str
    main_target: str
    second_target: str
    relations: str = _RELATIONS
    mode: str = ""

    def parts(self) -> dict[str, str]:
        folder, _, file = self.main.rpartition("/")
        main, second = _contents(self.form)
        kind = {"docx": "footnotes", "xlsx": "worksheet", "pptx": "slide"}[self.form]
        others = f'<Relationship Id="r0" Type="{_CORE}" Target="docProps/core.xml"/>'
        return {
            "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">{self.types}</Types>',
            "_rels/.rels": self._relations(f"{self.relations}/officeDocument", self.main_target, others),
            self.main: main,
            f"{folder}/_rels/{file}.rels".lstrip("/"): self._relations(f"{self.relations}/{kind}", self.second_target),
            self.second: second,
        }

    def _relations(self, kind: str, target: str, others: str = "") -> str:
        relation = f'<Relationship Id="r1" Type="{kind}" Target="{target}"{self.mode}/>'
        return f'<Relationships xmlns="{_PACKAGE}/relationships">{others}{relation}</Relationships>'


def _contents(form: str) -> tuple[str, str]:
    """Return the main part of a form of documents, and the part with the words "Found it"."""
    names = f'xmlns="{_NAMESPACES[form]}" xmlns:r="{_RELATIONS}"'
    if form == "docx":
        run = '<r><footnoteReference id="2"/></r>'
        note = '<footnote id="2"><p><r><t>Found it</t></r></p></footnote>'
        return f"<document {names}><body><p>{run}</p></body></document>", f"<footnotes {names}>{note}</footnotes>"
    if form == "xlsx":
        row = '<row><c t="inlineStr"><is><t>Found it</t></is></c></row>'
        sheets = '<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>'
        sheet = f"<worksheet {names}><sheetData>{row}</sheetData></worksheet>"
        return f"<workbook {names}>{sheets}</workbook>", sheet
    slides = '<sldIdLst><sldId id="256" r:id="r1"/></sldIdLst>'
    shape = "<sp><txBody><p><r><t>Found it</t></r></p></txBody></sp>"
    slide = f"<sld {names}><cSld><spTree>{shape}</spTree></cSld></sld>"
    return f"<presentation {names}>{slides}</presentation>", slide


def _override(main: str, form: str) -> str:
    return f'<Override PartName="/{main}" ContentType="{_MEDIA_TYPES[form]}"/>'


def _package(form: str) -> _Package:
    """Return a package as Office writes it."""
    main = _MAIN[form]
    folder = main.partition("/")[0]
    types = '<Default Extension="xml" ContentType="application/xml"/>' + _override(main, form)
    return _Package(form, main, f"{folder}/parts/second.xml", types, main, "parts/second.xml")


def _placed(package: _Package, main: str, second: str) -> _Package:
    """Return a package with its parts elsewhere, which are named with a slash before them."""
    return package._replace(
        main=main,
        second=second,
        types=_override(main, package.form),
        main_target=f"/{main}",
        second_target=f"/{second}",
    )


def _default(package: _Package) -> str:
    return f'<Default Extension="xml" ContentType="{_MEDIA_TYPES[package.form]}"/>'


_OTHER = '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core+xml"/>'
# How a package may be written, by what differs from Office.
_WRITTEN: dict[str, Callable[[_Package], _Package]] = {
    "as by Office": lambda package: package,
    # Types.
    "type as default": lambda package: package._replace(types=_default(package) + _OTHER),
    "default after overrides": lambda package: package._replace(types=_OTHER + _default(package)),
    "extension in capitals": lambda package: package._replace(types=_default(package).replace('"xml"', '"XML"')),
    "override before default": lambda package: package._replace(
        types=_override(package.main, package.form) + '<Default Extension="xml" ContentType="application/xml"/>'
    ),
    "name in capitals in override": lambda package: package._replace(
        types=_override(package.main.upper(), package.form)
    ),
    "name without slash in override": lambda package: package._replace(
        types=package.types.replace('Name="/', 'Name="')
    ),
    "type in capitals": lambda package: package._replace(
        types=package.types.replace(_MEDIA_TYPES[package.form], _MEDIA_TYPES[package.form].upper())
    ),
    "type with a parameter": lambda package: package._replace(
        types=package.types.replace("+xml", "+xml;charset=utf-8")
    ),
    # Targets.
    "absolute targets": lambda package: package._replace(
        main_target=f"/{package.main}", second_target=f"/{package.second}"
    ),
    "dots in targets": lambda package: package._replace(
        main_target=f"./docProps/../{package.main}", second_target="./../" + package.second
    ),
    "dots beyond the root": lambda package: package._replace(
        main_target=f"../{package.main}", second_target=f"../../{package.second}"
    ),
    "targets in capitals": lambda package: package._replace(
        main_target=package.main.upper(), second_target="PARTS/Second.XML"
    ),
    "backslashes in targets": lambda package: package._replace(
        main_target="\\" + package.main.replace("/", "\\"), second_target="parts\\second.xml"
    ),
    "percent signs in targets": lambda package: package._replace(
        main_target=package.main.replace("o", "%6F"), second_target="parts/%73econd.xml"
    ),
    "fragments in targets": lambda package: package._replace(
        main_target=f"{package.main}#a", second_target="parts/second.xml#b"
    ),
    "internal, said": lambda package: package._replace(mode=' TargetMode="Internal"'),
    # Relations.
    "strict relations": lambda package: package._replace(relations=_STRICT_RELATIONS),
    # Places.
    "parts in the root": lambda package: _placed(package, "main.xml", "second.xml"),
    "parts deep in folders": lambda package: _placed(package, "a/b/c.d/main.xml", "x/y.z/second.xml"),
    "parts without extensions": lambda package: _placed(package, "a/main", "b/second"),
    "parts with other extensions": lambda package: _placed(package, "a/main.part", "b/second.Part"),
    "spaces in names": lambda package: _placed(package, "a b/main part.xml", "c d/second part.xml"),
    "spaces as percent signs": lambda package: _placed(package, "a%20b/main%20part.xml", "c%20d/second%20part.xml"),
    "spaces as percent signs in targets": lambda package: _placed(package, "a b/main.xml", "c d/second.xml")._replace(
        main_target="/a%20b/main.xml", second_target="/c%20d/second.xml"
    ),
    "spaces as percent signs in the archive": lambda package: _placed(
        package, "a%20b/main.xml", "c%20d/second.xml"
    )._replace(main_target="/a b/main.xml", second_target="/c d/second.xml"),
    "letters of other languages": lambda package: _placed(package, "문서/본문.xml", "문서/目次.xml"),
    "letters of other languages as percent signs": lambda package: _placed(
        package, "문서/main.xml", "目次/second.xml"
    )._replace(main_target="/%EB%AC%B8%EC%84%9C/main.xml", second_target="/%e7%9b%ae%e6%ac%a1/second.xml"),
}
# How the names of a whole package may be written in its archive.
_STORED: dict[str, Callable[[str], str]] = {
    "in capitals": str.upper,
    "in small letters": str.lower,
    "with backslashes": lambda name: name.replace("/", "\\"),
    "with a slash before": lambda name: f"/{name}",
    "with a dot before": lambda name: f"./{name}",
}


@pytest.mark.full
@pytest.mark.parametrize("form", _MAIN)
@pytest.mark.parametrize("written", _WRITTEN)
def test_a_package_is_read_however_its_parts_are_named(form: str, written: str) -> None:
    parts = _WRITTEN[written](_package(form)).parts()
    result = document_text(f"a.{form}", zipped(**{name: part.encode() for name, part in parts.items()}), 1000)
    assert (result.problem, "Found it" in result.text) == ("", True)


@pytest.mark.parametrize("form", _MAIN)
@pytest.mark.parametrize("stored", _STORED)
def test_a_package_is_read_however_its_archive_writes_names(form: str, stored: str) -> None:
    parts = _package(form).parts()
    data = zipped(**{_STORED[stored](name): part.encode() for name, part in parts.items()})
    assert "Found it" in document_text(f"a.{form}", data, 1000).text


@pytest.mark.parametrize("form", _MAIN)
def test_parts_in_utf_16_with_prefixes_are_read(form: str) -> None:
    parts = _package(form).parts()
    for name in ("[Content_Types].xml", "_rels/.rels"):
        prefixed = parts[name].replace("</", "\0").replace("<", "<p:").replace("\0", "</p:").replace("xmlns", "xmlns:p")
        parts[name] = f'<?xml version="1.0" encoding="utf-16"?>{prefixed}'
    data = {name: part.encode("utf-16" if "encoding" in part else "utf-8") for name, part in parts.items()}
    assert "Found it" in document_text(f"a.{form}", zipped(**data), 1000).text


@pytest.mark.parametrize(
    ("form", "media_type"),
    [
        ("docx", f"{_TYPE}.wordprocessingml.template.main+xml"),
        ("docx", "application/vnd.ms-word.document.macroEnabled.main+xml"),
        ("docx", "application/vnd.ms-word.template.macroEnabledTemplate.main+xml"),
        ("xlsx", f"{_TYPE}.spreadsheetml.template.main+xml"),
        ("xlsx", "application/vnd.ms-excel.sheet.macroEnabled.main+xml"),
        ("xlsx", "application/vnd.ms-excel.template.macroEnabled.main+xml"),
        ("xlsx", "application/vnd.ms-excel.addin.macroEnabled.main+xml"),
        ("pptx", f"{_TYPE}.presentationml.template.main+xml"),
        ("pptx", f"{_TYPE}.presentationml.slideshow.main+xml"),
        ("pptx", "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"),
        ("pptx", "application/vnd.ms-powerpoint.template.macroEnabled.main+xml"),
        ("pptx", "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"),
        ("pptx", "application/vnd.ms-powerpoint.addin.macroEnabled.main+xml"),
    ],
)
def test_templates_shows_and_files_with_macros_are_known_by_their_types(form: str, media_type: str) -> None:
    package = _package(form)
    parts = package._replace(types=package.types.replace(_MEDIA_TYPES[form], media_type)).parts()
    data = zipped(**{name: part.encode() for name, part in parts.items()})
    assert "Found it" in document_text("a", data, 1000).text


@pytest.mark.first
@pytest.mark.parametrize("form", _MAIN)
def test_an_override_wins_over_the_default_of_its_extension(form: str) -> None:
    other = next(name for name in _MAIN if name != form)
    types = _default(_package(other)) + _override(_MAIN[form], form)
    parts = _package(form)._replace(types=types).parts()
    data = zipped(**{name: part.encode() for name, part in parts.items()})
    assert "Found it" in document_text("a", data, 1000).text


@pytest.mark.parametrize("form", _MAIN)
def test_what_is_outside_of_the_package_is_no_part_of_it(form: str) -> None:
    package = _package(form)
    parts = package._replace(mode=' TargetMode="External"').parts()
    result = document_text(f"a.{form}", zipped(**{name: part.encode() for name, part in parts.items()}), 1000)
    assert (result.problem, result.text) == ("not-text", "")


@pytest.mark.parametrize("form", _MAIN)
def test_a_package_whose_main_part_is_no_xml_is_not_read(form: str) -> None:
    binary = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
    parts = _package(form)._replace(types=f'<Default Extension="xml" ContentType="{binary}"/>').parts()
    data = zipped(**{name: part.encode() for name, part in parts.items()})
    assert document_text(f"a.{form}", data, 1000).problem == "not-text"


_BODIES = {
    "text": "<text:p>Found it</text:p>",
    "spreadsheet": '<table:table table:name="S"><table:table-row><table:table-cell><text:p>Found it</text:p>'
    "</table:table-cell></table:table-row></table:table>",
    "presentation": "<draw:page><draw:frame><draw:text-box><text:p>Found it</text:p></draw:text-box></draw:frame>"
    "</draw:page>",
}


def _open_parts(kind: str, **changed: str | None) -> bytes:
    """Return an OpenDocument file with other parts than usual; None for those that it lacks."""
    with ZipFile(BytesIO(open_document(kind, _BODIES[kind]))) as archive:
        parts: dict[str, str | None] = {name: archive.read(name).decode() for name in archive.namelist()}
    parts |= changed
    return zipped(**{name: part.encode() for name, part in parts.items() if part is not None})


def _manifest(kind: str) -> str:
    names = 'xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
    entry = f'<m:file-entry m:full-path="/" m:media-type="application/vnd.oasis.opendocument.{kind}"/>'
    return f'<m:manifest {names}><m:file-entry m:full-path="content.xml" m:media-type="text/xml"/>{entry}</m:manifest>'


@pytest.mark.parametrize("kind", _BODIES)
@pytest.mark.parametrize("mimetype", [None, "", "application/zip", "application/octet-stream\r\n"])
def test_an_open_document_is_known_by_its_manifest_where_its_first_part_is_missing_or_wrong(
    kind: str, mimetype: str | None
) -> None:
    data = _open_parts(kind, mimetype=mimetype, **{"META-INF/manifest.xml": _manifest(kind)})
    assert "Found it" in document_text("a", data, 1000).text


@pytest.mark.parametrize("kind", _BODIES)
@pytest.mark.parametrize("written", ["{}\n", "\ufeff{}", " {} ", "{}-template"])
def test_an_open_document_is_known_by_its_first_part_however_it_is_written(kind: str, written: str) -> None:
    data = _open_parts(kind, mimetype=written.format(f"application/vnd.oasis.opendocument.{kind}"))
    assert "Found it" in document_text("a", data, 1000).text


_PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Found it</p></body></html>'


def _book(
    *, path: str, stored: str, href: str, page: str, mimetype: str | None = "application/epub+zip", encrypted: str = ""
) -> bytes:
    """Return a book whose package is at a `path` and `stored` under a name, and leads to a page by `href`."""
    root = f'<rootfile full-path="{path}" media-type="application/oebps-package+xml"/>'
    package = f'<package><manifest><item id="p" href="{href}"/></manifest><spine><itemref idref="p"/></spine></package>'
    parts = {
        "mimetype": mimetype,
        "META-INF/container.xml": f"<container><rootfiles>{root}</rootfiles></container>",
        stored: package,
        page: _PAGE,
    }
    if encrypted:
        parts["META-INF/encryption.xml"] = f'<encryption><CipherReference URI="{encrypted}"/></encryption>'
    return zipped(**{name: part.encode() for name, part in parts.items() if part is not None})


@pytest.mark.parametrize(
    ("path", "stored", "href", "page"),
    [
        ("OEBPS/book.opf", "OEBPS/book.opf", "p.xhtml", "OEBPS/p.xhtml"),
        ("my%20book/book.opf", "my book/book.opf", "p%201.xhtml", "my book/p 1.xhtml"),
        ("my book/book.opf", "my book/book.opf", "p 1.xhtml", "my book/p 1.xhtml"),
        ("my%20book/book.opf", "my%20book/book.opf", "p%201.xhtml", "my%20book/p%201.xhtml"),
        ("/OEBPS/book.opf", "OEBPS/book.opf", "./p.xhtml#a", "OEBPS/p.xhtml"),
        ("oebps/Book.opf", "OEBPS/book.OPF", "P.xhtml", "OEBPS/p.XHTML"),
        ("책/book.opf", "책/book.opf", "%EB%B3%B8%EB%AC%B8.xhtml", "책/본문.xhtml"),
        ("OEBPS\\book.opf", "OEBPS\\book.opf", "pages\\p.xhtml", "OEBPS\\pages\\p.xhtml"),
    ],
)
def test_the_package_and_the_pages_of_a_book_are_found_however_they_are_named(
    path: str, stored: str, href: str, page: str
) -> None:
    assert document_text("a.epub", _book(path=path, stored=stored, href=href, page=page), 1000).text == "Found it"


@pytest.mark.parametrize("mimetype", [None, "", "application/zip", "application/x-ibooks+zip"])
def test_a_book_is_known_by_its_container_where_its_first_part_is_missing_or_wrong(mimetype: str | None) -> None:
    data = _book(path="b.opf", stored="b.opf", href="p.xhtml", page="p.xhtml", mimetype=mimetype)
    assert document_text("a", data, 1000).text == "Found it"


def test_a_book_with_an_encrypted_page_says_so_however_the_page_is_named() -> None:
    data = _book(path="b.opf", stored="b.opf", href="p 1.xhtml", page="p 1.xhtml", encrypted="P%201.xhtml")
    assert document_text("a.epub", data, 1000).problem == "encrypted"


def test_a_document_of_another_kind_with_the_container_of_books_is_no_book() -> None:
    book = _book(path="b.hpf", stored="b.hpf", href="p.xml", page="p.xml", mimetype="application/x-other+zip")
    with ZipFile(BytesIO(book)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["META-INF/container.xml"] = parts["META-INF/container.xml"].replace(b"oebps", b"other")
    assert document_text("a", zipped(**parts), 1000).problem == "not-text"
