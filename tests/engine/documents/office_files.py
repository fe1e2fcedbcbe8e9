"""Writes small Office and OpenDocument files by hand, so that a test shows all that matters in them."""

from __future__ import annotations

import io
import zipfile

_TYPES = {
    "ppt/presentation.xml": "presentationml.presentation",
    "word/document.xml": "wordprocessingml.document",
    "xl/workbook.xml": "spreadsheetml.sheet",
}
# Only the names behind the prefixes count.
_PREFIXES = " ".join(f'xmlns:{one}="{one}"' for one in ("calcext", "draw", "office", "presentation", "style", "svg"))
_PREFIXES += " " + " ".join(f'xmlns:{one}="{one}"' for one in ("dc", "fo", "loext", "table", "text", "xlink"))

_HANGUL = " ".join(f'xmlns:{one}="{one}"' for one in ("hc", "hh", "hp", "hs", "opf"))


def zipped(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            new.writestr(name, content)
    return file.getvalue()


def relations(**targets: str) -> str:
    """Return the part with what another one refers to: `rId1_chart="charts/1.xml"`; an address is outside."""
    found = ""
    for name, target in targets.items():
        key, _, kind = name.partition("_")
        mode = ' TargetMode="External"' if ":" in target else ""
        found += f'<Relationship Id="{key}" Type="urn:/{kind}" Target="{target}"{mode}/>'
    return f"<Relationships>{found}</Relationships>"


def office_file(main: str, parts: dict[str, str]) -> bytes:
    kind = f"application/vnd.openxmlformats-officedocument.{_TYPES[main]}.main+xml"
    types = f'<Types><Override PartName="/{main}" ContentType="{kind}"/></Types>'
    all_parts = {"[Content_Types].xml": types, "_rels/.rels": relations(r_officeDocument=main)} | parts
    return zipped(**{name: part.encode() for name, part in all_parts.items()})


def workbook(**sheets: int) -> bytes:
    """Return a workbook with sheets of so many rows, which have their numbers and a letter, and a hidden one."""
    names = "".join(f'<sheet name="{name}" id="rId{number}"/>' for number, name in enumerate(sheets))
    parts = {
        "xl/workbook.xml": f'<workbook><sheets>{names}<sheet name="H" state="hidden" id="no"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            **{f"rId{number}_worksheet": f"worksheets/{number}.xml" for number in range(len(sheets))}
        ),
    }
    for number, count in enumerate(sheets.values()):
        rows = "".join(f'<row><c><v>{row}</v></c><c t="str"><v>x</v></c></row>' for row in range(1, count + 1))
        parts[f"xl/worksheets/{number}.xml"] = f"<worksheet>{rows}</worksheet>"
    return office_file("xl/workbook.xml", parts)


def open_document(kind: str, body: str, styles: str = "", common: str = "", **objects: str) -> bytes:
    """Return an OpenDocument file of a kind with styles of its own, common ones, and objects by their names."""
    parts = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"<content {_PREFIXES}><automatic-styles>{styles}</automatic-styles>"
        f"<body><{kind}>{body}</{kind}></body></content>",
        "styles.xml": f"<styles {_PREFIXES}>{common}</styles>",
    }
    parts |= {f"{name}/content.xml": content for name, content in objects.items()}
    return zipped(**{name: part.encode() for name, part in parts.items()})


def letter_with(name: str, embedded: bytes) -> bytes:
    """Return a letter with an object of another program."""
    run = '<r><object><OLEObject ProgID="Package" id="rId1"/></object></r>'
    parts = {
        "word/document.xml": f"<document><body><p><r><t>Before</t></r>{run}</p></body></document>",
        "word/_rels/document.xml.rels": relations(rId1_oleObject=f"embeddings/{name}"),
    }
    file = io.BytesIO(office_file("word/document.xml", parts))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(f"word/embeddings/{name}", embedded)
    return file.getvalue()


def hangul_file(*sections: str, header: str = "", **parts: str | bytes) -> bytes:
    """Return an HWPX file with sections, what its header lists, and other parts, by their names, as items."""
    inside = {f"section{number}": f"<hs:sec {_HANGUL}>{body}</hs:sec>" for number, body in enumerate(sections)}
    inside |= {"header": f"<hh:head {_HANGUL}>{header}</hh:head>"}
    items = "".join(f'<opf:item id="{name}" href="Contents/{name}.xml"/>' for name in inside)
    items += "".join(f'<opf:item id="{name}" href="{name}"/>' for name in parts)
    spine = "".join(f'<opf:itemref idref="{name}"/>' for name in inside)
    package = f"<opf:package {_HANGUL}><opf:manifest>{items}</opf:manifest><opf:spine>{spine}</opf:spine></opf:package>"
    kind = "application/hwpml-package+xml"
    all_parts: dict[str, str | bytes] = {
        "mimetype": "application/hwp+zip",
        "META-INF/container.xml": f'<c><rootfile full-path="Contents/content.hpf" media-type="{kind}"/></c>',
        "Contents/content.hpf": package,
        **{f"Contents/{name}.xml": part for name, part in inside.items()},
        **parts,
    }
    return zipped(**{name: part.encode() if isinstance(part, str) else part for name, part in all_parts.items()})
