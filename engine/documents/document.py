"""Reads the text of documents and of text files in old encodings, in a sandbox: they come from anywhere."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from engine.documents.archives.old_office import in_newer_format, is_workbook
from engine.documents.formats import (
    OLD_OFFICE,
    OLD_WORKBOOK,
    PAGE,
    PDF,
    ZIP,
    FileFormat,
    format_in_archive,
    format_of,
)
from engine.documents.pages.web_page import read_page
from engine.documents.text.damaged_parts import Encrypted
from engine.documents.text.encodings import DecodedText, decode, has_no_controls, unreadable_bytes
from engine.documents.text.inner_pictures import InnerPictures, LargestPictures
from engine.documents.text.invisible_characters import INVISIBLE, without_invisible
from engine.documents.text.marked_text import MarkedText, TextTooLong
from engine.documents.text.parts import Extent, PartsRead, Selection, first_lines
from engine.sandbox.tasks import task

# The name of the stream that holds an encrypted document.
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
# The kind of content that a text leaves out for bytes that are not UTF-8: U+FFFD stands for each.
_BYTES = "unreadable-byte"


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a document as Markdown, or of a text file as it is; or the `problem` why there is none."""

    # In a document, the last line says what is left out.
    text: str = ""
    # "encrypted", "damaged", "too-large" (the text), "no-text" (it has only pictures), "empty", "old-format" (of Office
    # 97, and no program here converts it), "unknown-encoding" or "not-text"; "" if there is a text.
    # `reading.read_document` has more.
    problem: str = ""
    # The name of the encoding if it was guessed, else "".
    encoding: str = ""
    # Seconds of computing that were spent on it.
    seconds: float = 0.0
    # How often something of each kind, such as "hidden-text", is not in the text.
    left_out: tuple[tuple[str, int], ...] = ()
    # How many pages are pictures whose text was recognized, which may be wrong.
    recognized_pages: int = 0
    # How many of these have letters that are uncertain.
    uncertain_pages: int = 0
    # How much of the document this is.
    extent: Extent = field(default_factory=Extent)
    # The largest pictures in it, as far as they were asked for. A document of pictures alone has them with a problem.
    pictures: LargestPictures = field(default_factory=LargestPictures)


class _AskedFor(NamedTuple):
    """What `document_text` is asked for but the file: see there."""

    most: int
    language: str
    selection: Selection | None
    # Seconds of this process's computing after which no other page, slide or sheet is begun.
    stops_at: float
    most_pictures: int
    address: str


@task
def document_text(
    name: str,
    data: bytes,
    most: int,
    language: str = "",
    selection: Selection | None = None,
    most_s: float = math.inf,
    most_pictures: int = 0,
    address: str = "",
) -> DocumentText:
    """Return the text of a file with at most `most` characters; encodings are guessed for the window's `language`.

    With a `selection`, the text has the wanted parts as far as they fit, and those that are begun within `most_s`
    seconds of computing. Without, all has to fit. The files of the `most_pictures` largest pictures that are seen in
    them are loaded within the same seconds. `address` is the file's address in the web; "" if it is not from there.
    Whatever is wrong with the file is the `problem` of the result. Raises only `MemoryError`, which ends the sandbox.
    """
    begun = time.process_time()
    try:
        stops_at = begun + most_s if selection else math.inf
        result = _read(name.lower(), data, _AskedFor(most, language, selection, stops_at, most_pictures, address))
    except MemoryError:
        raise
    except TextTooLong:
        result = DocumentText(problem="too-large")
    except Encrypted:
        result = DocumentText(problem="encrypted")
    # Broken files make the parsers raise many kinds of errors, including failed assumptions of their own.
    except Exception:
        result = DocumentText(problem="damaged")
    # Some fonts of PDF files map a letter to half a surrogate pair, which is no text.
    whole = result.text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    problem = result.problem or ("" if whole else "empty")
    if len(whole) != len(result.text):
        # The parts end elsewhere.
        result = replace(result, extent=replace(result.extent, ends=()))
    return replace(result, text=whole, problem=problem, seconds=time.process_time() - begun)


def _read(name: str, data: bytes, request: _AskedFor) -> DocumentText:
    """Return the text of a file by its format, which its beginning or its `name` in small letters says."""
    form = format_of(name, data)
    if form is None:
        return _text_file(data, request)
    if form is OLD_OFFICE:
        return _old_document(data, request)
    if form.is_archive or form is ZIP:
        form = format_in_archive(data)
    return DocumentText(problem="not-text") if form is None else _document(form, data, request)


def _document(form: FileFormat, data: bytes, request: _AskedFor) -> DocumentText:
    """Return the text of a document of a format, if that is read."""
    encoding = ""
    selection = request.selection
    parts = PartsRead(selection or Selection(), request.stops_at, reports=True)
    text = MarkedText(request.most, parts=parts, pictures=InnerPictures(request.most_pictures, request.stops_at))
    if form.decode is not None:
        decoded = form.decode(data, request.language)
        if decoded is None:
            return DocumentText(problem="unknown-encoding")
        encoding = decoded.encoding
        text.left_out[_BYTES] += _unreadable_bytes(data, decoded)
        data = decoded.text.encode("utf-8", "replace")
    read = partial(read_page, address=request.address) if form is PAGE else form.read
    if read is None:
        return DocumentText(problem="not-text")
    try:
        read(data, text)
    except TextTooLong:
        if selection is None or not text.end_early():
            raise
    content = str(text)
    problem = ""
    if form is PDF and text.is_empty:
        # The pages that are not wanted are no text.
        content = ""
        problem = "no-text"
    left_out = tuple((+text.left_out).items())
    return DocumentText(
        content,
        problem,
        encoding,
        left_out=left_out,
        recognized_pages=text.recognized_pages,
        uncertain_pages=text.uncertain_pages,
        extent=text.extent,
        pictures=text.pictures.files(),
    )


def _old_document(data: bytes, request: _AskedFor) -> DocumentText:
    """Return the text of a document of Office 97, if a program of this computer converts it, or it is a workbook."""
    if _ENCRYPTED_STREAM in data:
        return DocumentText(problem="encrypted")
    converted = in_newer_format(data)
    if converted is not None and not converted.startswith(OLD_OFFICE.magic):
        return _read("", converted, request)
    return _document(OLD_WORKBOOK, data, request) if is_workbook(data) else DocumentText(problem="old-format")


def _text_file(data: bytes, request: _AskedFor) -> DocumentText:
    """Return the text of a file that is no document."""
    decoded = decode(data, request.language)
    if decoded is None:
        return DocumentText(problem="unknown-encoding" if has_no_controls(data) else "not-text")
    seen, invisible = without_invisible(decoded.text)
    counts = {_BYTES: _unreadable_bytes(data, decoded), INVISIBLE: invisible}
    left_out = tuple((kind, count) for kind, count in counts.items() if count)
    text, extent = first_lines(seen, request.most if request.selection else len(seen))
    return DocumentText(text, encoding=decoded.encoding, left_out=left_out, extent=extent)


def _unreadable_bytes(data: bytes, decoded: DecodedText) -> int:
    """Return how many bytes of a file are not in its text. Guessed encodings have a character for each byte."""
    return 0 if decoded.encoding else unreadable_bytes(data, decoded.text)
