"""Writes small DOCX files by hand, and reads them."""

from __future__ import annotations

from engine.documents.document import document_text
from tests.engine.documents.office_files import zipped

KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
# Only the names behind the prefixes count.
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
PART = f'<w:part xmlns:w="w" xmlns:m="{_OFFICE}/math" xmlns:r="{_OFFICE}/relationships">{{}}</w:part>'


def ending(part: str) -> str:
    return "html" if part.startswith("<html>") else "xml"


def text_of(body: str, related: str = "", **parts: str) -> str:
    """Return the text of a DOCX file with a body and other parts, which are its relationships of their names."""
    kinds = {name: name.rstrip("12") for name in parts}
    named = "".join(
        f'<r Id="{name}" Type="{KIND}{kind}" Target="{name}.{ending(parts[name])}"/>' for name, kind in kinds.items()
    )
    pages = {name: part for name, part in parts.items() if part.startswith("<html>")}
    files = {
        "[Content_Types].xml": f'<types><type PartName="/document.xml" ContentType="{MAIN}"/></types>',
        "_rels/.rels": f'<all><r Id="1" Type="{KIND}officeDocument" Target="document.xml"/></all>',
        "_rels/document.xml.rels": f"<all>{named}{related}</all>",
        **{f"{name}.xml": PART.format(content) for name, content in {"document": body, **parts}.items()},
        **{f"{name}.html": page for name, page in pages.items()},
    }
    found = document_text("a.docx", zipped(**{name: content.encode() for name, content in files.items()}), 10**6)
    return found.text or found.problem


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def paragraph(content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr>"


def number(level: int = 0, of_list: int = 1) -> str:
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{of_list}"/></w:numPr>'


def item(text: str, level: int = 0, of_list: int = 1) -> str:
    return paragraph(run(text), number(level, of_list))


def level(index: int, form: str, text: str, more: str = '<w:start w:val="1"/>') -> str:
    return f'<w:lvl w:ilvl="{index}">{more}<w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'


CLAUSES = level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2") + level(2, "lowerLetter", "(%3)")
