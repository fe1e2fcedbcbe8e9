"""Writes small Office and OpenDocument files by hand, so that a test shows all that is in them."""

from __future__ import annotations

import io
import zipfile

_TYPES = {"xl/workbook.xml": "spreadsheetml.sheet", "ppt/presentation.xml": "presentationml.presentation"}


def archive(parts: dict[str, str]) -> bytes:
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
    return archive({"[Content_Types].xml": types, "_rels/.rels": relations(r_officeDocument=main)} | parts)
