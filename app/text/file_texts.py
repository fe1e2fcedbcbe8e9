"""The texts of files that people attach and programs send: text and code in any encoding, and documents. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

import msgspec

from app.system.cancelled import Cancelled
from engine.documents.formats import format_of, program_of
from engine.documents.text.invisible_characters import INVISIBLE, without_invisible
from engine.documents.text.parts import PAGE, Extent, Selection, first_lines, left_out_line, pictures_line
from engine.errors import EngineClosed
from engine.files.reading_time import ReadingTime

if TYPE_CHECKING:
    from engine.documents.document import DocumentText

# Longer texts fit no context and would only be refused later.
LARGEST_BYTES = 2 * 2**20
# The type of a text without a format of its own.
PLAIN = "text/plain"
# The parameters of a media type. The name of the encoding.
CHARSET = "; charset="
# What is not in the text: "reason:count", with commas between them.
LEFT_OUT = "; left-out="
# The number of pages that are pictures whose text was recognized.
RECOGNIZED = "; recognized="
# The number of recognized pages that are uncertain in part.
UNCERTAIN = "; uncertain="
# The number of pictures in a document, if the model gets only some of them.
PICTURES = "; pictures="
# The numbers of the pages that the model gets as pictures.
PAGES = "; page-pictures="
# The document has only pictures, and its text only names its pages.
SCAN = "; scan=1"
# The extent of a long document with several parts, or of a text that is only a part of its document.
EXTENT = "; extent="
# Texts of fewer characters fit any context.
_FITS_ANY_CONTEXT = 4000
# Signs of JSON, which no other parameter has.
_JSON_SIGNS = '[]{}:,"'


class NotAttachable(Exception):
    """A file cannot be attached.

    `reason` is "not-text", "unknown-encoding", "too-large", "unreadable", "picture", or "other-program" for a file that
    only its own program can read. It may also be a problem that `read_document` finds; for files of folders also "gone"
    or "too-many".
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


class TextWithPictures(NamedTuple):
    """The media type and the text of a file, and the files of pictures in it."""

    media_type: str
    text: str
    pictures: tuple[bytes, ...] = ()


def text_of_file(
    name: str,
    content: bytes,
    language: str = "",
    time: ReadingTime | None = None,
    selection: Selection | None = None,
    most_pictures: int = 0,
    *,
    takes_scans: bool = False,
) -> TextWithPictures:
    """Return the media type and the text of a file, and the files of its `most_pictures` largest pictures.

    A caller that `takes_scans` also gets a document of pictures alone, with a text that only names its pages.

    The type has parameters for an encoding that was guessed for `language`, and for the pages that were recognized and
    the parts that were left out. Everything but text in UTF-8 is read in a sandbox, within `time`; the text of a
    document is Markdown. With a `selection`, the text has these parts, up to LARGEST_BYTES characters, and the type has
    their extent; without a selection, the whole text has to fit. Raises NotAttachable, and Cancelled when `time` is
    abandoned.
    """
    form = format_of(name, content)
    text = _utf8_text(content) if form is None else None
    if text is not None:
        seen, invisible = without_invisible(text)
        kind = f"{PLAIN}{LEFT_OUT}{INVISIBLE}:{invisible}" if invisible else PLAIN
        first = first_lines(seen, LARGEST_BYTES if selection else len(seen))
        return TextWithPictures(with_extent(kind, first.text, first.extent), first.text)
    # Imported here because most questions have no document.
    from engine.documents.reading import read_document

    try:
        time = time or ReadingTime()
        read = read_document(name, content, LARGEST_BYTES, language, time, selection, most_pictures)
    except EngineClosed as error:
        raise Cancelled from error
    if takes_scans and read.problem in ("no-text", "empty") and read.pictures.files:
        return _scan(PLAIN if form is None else form.media_type, read)
    if read.problem:
        is_foreign = read.problem in ("not-text", "unknown-encoding", "old-format") and program_of(name) != ""
        raise NotAttachable(name, "other-program" if is_foreign else read.problem)
    kind = PLAIN if form is None else form.media_type
    return TextWithPictures(_with_parameters(kind, read), read.text, read.pictures.files)


def _with_parameters(kind: str, read: DocumentText) -> str:
    """Return a type with the parameters that say how a text was read; people are told these."""
    if read.encoding:
        kind += CHARSET + read.encoding
    if read.recognized_pages:
        kind += f"{RECOGNIZED}{read.recognized_pages}"
    if read.uncertain_pages:
        kind += f"{UNCERTAIN}{read.uncertain_pages}"
    kind = with_extent(kind + _of_pictures(read), read.text, read.extent)
    if read.left_out:
        kind += LEFT_OUT + ",".join(f"{reason}:{count}" for reason, count in read.left_out)
    return kind


def _scan(kind: str, read: DocumentText) -> TextWithPictures:
    """Return the pictures of a document that has no text, with words that say which of its pages they are."""
    extent = Extent()
    if read.pictures.pages:
        extent = Extent(PAGE, read.extent.count, read.pictures.pages)
    words = [pictures_line(PAGE, read.pictures.pages)]
    if missing := extent.missing_words():
        words.append(left_out_line([missing]))
    text = "\n\n".join(words)
    kind += SCAN + _of_pictures(read)
    return TextWithPictures(with_extent(kind, text, extent), text, read.pictures.files)


def _of_pictures(read: DocumentText) -> str:
    """Return the parameters of a type that say which pictures of a document are given."""
    given = read.pictures
    parameters = f"{PICTURES}{given.count}" if len(given.files) < given.count else ""
    if given.files and len(given.pages) == len(given.files):
        parameters += PAGES + ",".join(map(str, given.pages))
    return parameters


def pages_in(media_type: str) -> tuple[int, ...]:
    """Return the numbers of the pages that the pictures of a document are; none if they are no pages."""
    numbers = media_type.partition(PAGES)[2].partition(";")[0].split(",")
    # Chats are imported from files that anybody writes.
    return tuple(int(number[:9]) for number in numbers if number.isdecimal())


def with_extent(media_type: str, text: str, extent: Extent) -> str:
    """Return a type with this extent of its text instead of its old one; short or whole texts get none."""
    earlier = f"{EXTENT}{media_type.partition(EXTENT)[2].partition(';')[0]}"
    before, _, after = media_type.partition(LEFT_OUT)
    before = before.replace(earlier, "")
    if (len(text) >= _FITS_ANY_CONTEXT and extent.count > 1) or not extent.is_whole:
        before += EXTENT + quote(msgspec.json.encode(extent).decode(), safe=_JSON_SIGNS)
    return f"{before}{LEFT_OUT}{after}" if after else before


def extent_in(media_type: str) -> Extent:
    """Return the extent that a type has, or else the extent of a whole text without parts."""
    words = media_type.partition(EXTENT)[2].partition(";")[0]
    try:
        return msgspec.json.decode(unquote(words), type=Extent) if words else Extent()
    # Chats are imported from files that anybody writes.
    except (msgspec.MsgspecError, UnicodeError):
        return Extent()


def _utf8_text(content: bytes) -> str | None:
    """Return the text of a file in UTF-8; None if its bytes may also mean something else."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or "\x1b$" in text else text
