"""Reads files attached to a question: texts, whose tokens it counts, and pictures. No Qt in here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.conversations.database.records import Attachment, Picture, Source, SourceFile, pictures_in
from app.conversations.projects import files_text
from app.system.cancelled import Cancelled
from app.text.file_texts import (
    CHARSET,
    LARGEST_BYTES,
    LEFT_OUT,
    PICTURES,
    RECOGNIZED,
    SCAN,
    UNCERTAIN,
    NotAttachable,
    extent_in,
    text_of_file,
    with_extent,
)
from app.text.picture_data import kind_of_picture
from engine.documents.formats import format_of, program_of
from engine.documents.text.inner_pictures import MOST_PICTURES
from engine.documents.text.parts import Cut, Extent, Selection, counted_words, first_parts, left_out_line
from engine.errors import EngineClosed, PictureNotUsable, PicturesNotInstalled
from engine.files.paths import is_known_good
from engine.files.reading_time import ReadingTime
from engine.pictures.picture_file import MOST_MEGABYTES

if TYPE_CHECKING:
    # For the reason in `app.composer.context_meter`.
    from engine.pictures.rules import PictureRules

# Documents consist mostly of fonts and pictures; their text is attached, and a few pictures. Of other files, the first
# lines are.
LARGEST_DOCUMENT_BYTES = 100 * 2**20
# The most tokens of the line that says which parts are left out.
_LINE_TOKENS = 40
# The kind of content that a document leaves out when it is cut.
_PICTURE = "picture"
# The problems of files that take too long or too much memory.
BEYOND_LIMITS = ("too-slow", "too-much-memory", "no-time")
# The encodings that a text may be read in again, with Python's codecs, which may know more characters.
ENCODINGS = {"Windows-1252": "cp1252", "MacRoman": "mac_roman", "Windows-1250": "cp1250", "ISO-8859-2": "iso8859_2"}
ENCODINGS |= {"Windows-1251": "cp1251", "KOI8-R": "koi8_r", "Windows-1253": "cp1253", "Windows-1254": "cp1254"}
ENCODINGS |= {"EUC-KR": "cp949", "Shift_JIS": "cp932", "EUC-JP": "euc_jp", "GB18030": "gb18030", "Big5": "cp950"}
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif")


def read_attachment(
    path: Path,
    language: str = "",
    time: ReadingTime | None = None,
    keep: Callable[[bytes], object] | None = None,
    selection: Selection | None = None,
    *,
    sees: bool = False,
) -> Attachment:
    """Read a text, code, a document or a picture, whose file goes to `keep`; without `keep` pictures are refused.

    The media type names the encoding if that was guessed for the window's `language`. Documents and pictures are read
    in processes with limits, and within `time`. With a `selection`, as much of the file as fits is attached, and of a
    document those parts and with `keep` their largest pictures; without, all of its text or nothing. For a model that
    `sees`, the pictures of a document without text are attached, too. Raises
    NotAttachable, PictureNotUsable, PicturesNotInstalled, Cancelled when `time` is abandoned, and what `keep` raises.
    Not for the Qt thread.
    """
    time = time or ReadingTime()
    named_picture = path.suffix.lower() in _PICTURES
    try:
        content = _content_of(path, named_picture, any_size=selection is not None)
    except OSError as error:
        raise NotAttachable(path.name, "unreadable") from error
    if named_picture or kind_of_picture(content):
        if keep is None:
            raise NotAttachable(path.name, "picture")
        return read_picture(path.name, content, keep, time)
    if keep is None or selection is None:
        return Attachment(path.name, *text_of_file(path.name, content, language, time, selection)[:2])
    file = text_of_file(path.name, content, language, time, selection, MOST_PICTURES, takes_scans=sees)
    inner = _inner_pictures(path.name, file.pictures, keep, time)
    if SCAN in file.media_type and not inner:
        raise NotAttachable(path.name, "no-text")
    return Attachment(path.name, file.media_type, file.text, inner=inner)


def _content_of(path: Path, named_picture: bool, *, any_size: bool) -> bytes:
    """Return the content of a file; with `any_size`, a text may be as large as a document.

    Raises `NotAttachable`, `PictureNotUsable` and OSError.
    """
    if path.exists() and not path.is_file():
        # Reading a pipe or a device may never end.
        raise NotAttachable(path.name, "other-program" if program_of(path.name) else "unreadable")
    size = path.stat().st_size
    if named_picture and size > MOST_MEGABYTES * 2**20:
        raise PictureNotUsable("too-large", str(MOST_MEGABYTES))
    is_document = format_of(path.name) is not None or program_of(path.name)
    largest = LARGEST_DOCUMENT_BYTES if is_document or any_size else LARGEST_BYTES
    if not named_picture and size > largest:
        raise NotAttachable(path.name, "too-large")
    return path.read_bytes()


def _inner_pictures(
    name: str, files: Iterable[bytes], keep: Callable[[bytes], object], time: ReadingTime
) -> tuple[Attachment, ...]:
    """Return the pictures of a document, without those that are not usable. Raises as `read_picture` does else."""
    pictures: list[Attachment] = []
    for number, file in enumerate(files, 1):
        with suppress(PictureNotUsable, PicturesNotInstalled):
            pictures.append(read_picture(f"{name} {number}", file, keep, time))
    return tuple(pictures)


def read_picture(name: str, content: bytes, keep: Callable[[bytes], object], time: ReadingTime) -> Attachment:
    """Check a picture's file and pass it to `keep`, as PNG or JPEG if it has a rarer format.

    Raises PictureNotUsable, PicturesNotInstalled, Cancelled when `time` is abandoned, and what `keep` raises.
    """
    # Imported here because most questions have no picture.
    from engine.pictures.reading import common_file, digest_of, picture_size

    try:
        content = common_file(content, time)
        picture = Picture(digest_of(content), *picture_size(content, time))
    except EngineClosed as error:
        raise Cancelled from error
    keep(content)
    return Attachment(name, f"image/{kind_of_picture(content)}", "", picture)


def guessed_encoding(attachment: Attachment) -> str:
    """Return the encoding that was guessed for the file; "" if it was certain."""
    return attachment.media_type.partition(CHARSET)[2].partition(";")[0]


def read_as(attachment: Attachment, encoding: str) -> Attachment:
    """Return a file whose encoding was guessed as it reads in another of `ENCODINGS`.

    Its text in the encoding that was guessed gives the bytes of the file, which are read again.
    """
    guess = guessed_encoding(attachment)
    content = attachment.text.encode(ENCODINGS.get(guess, guess), "replace")
    kind = attachment.media_type.replace(f"{CHARSET}{guess}", f"{CHARSET}{encoding}")
    return replace(attachment, media_type=kind, text=content.decode(ENCODINGS[encoding], "replace"))


def extent_of(attachment: Attachment) -> Extent:
    """Return how much of its file the text of an attachment has."""
    return extent_in(attachment.media_type)


def with_parts(attachment: Attachment, extent: Extent) -> Attachment:
    """Return a file that is cut to an `extent` of first parts, of which its text says the others to be left out.

    It has no pictures any more, which would take as much of the context; its text and its type say so.
    """
    words = [extent.missing_words()]
    if attachment.inner:
        words.append(counted_words(_PICTURE, len(attachment.inner)))
    text = f"{attachment.text[: extent.ends[-1]]}\n\n{left_out_line(words)}"
    return replace(attachment, text=text, media_type=_type_of_cut(attachment, text, extent), inner=())


def _type_of_cut(attachment: Attachment, text: str, extent: Extent) -> str:
    """Return the type of an attachment that is cut to a text, and has lost its pictures."""
    kind = with_extent(attachment.media_type, text, extent)
    if not attachment.inner:
        return kind
    begin = f"{kind}," if LEFT_OUT in kind else f"{kind}{LEFT_OUT}"
    return f"{begin}{_PICTURE}:{len(attachment.inner)}"


def recognized_pages(attachment: Attachment) -> int:
    """Return how many pages of a document are pictures whose text was recognized."""
    return _number_in(attachment, RECOGNIZED)


def uncertain_pages(attachment: Attachment) -> int:
    """Return how many of these pages may be wrong in part."""
    return _number_in(attachment, UNCERTAIN)


def count_of_pictures(attachment: Attachment) -> int:
    """Return how many pictures a document has, of which not all may be among its `inner` ones."""
    return _number_in(attachment, PICTURES) or len(attachment.inner)


def without_pictures(attachment: Attachment) -> Attachment:
    """Return a document as text alone."""
    return replace(attachment, inner=())


def _number_in(attachment: Attachment, parameter: str) -> int:
    """Return the number that a parameter of a file's type has; 0 without one."""
    count = attachment.media_type.partition(parameter)[2].partition(";")[0]
    return int(count[:9]) if count.isdecimal() else 0


def left_out(attachment: Attachment) -> list[tuple[str, int]]:
    """Return what was left out of the text of a document, by kind, and how often."""
    counts = attachment.media_type.partition(LEFT_OUT)[2].split(",")
    return [
        (kind, int(count[:9])) for kind, _, count in (entry.partition(":") for entry in counts) if count.isdecimal()
    ]


@lru_cache(maxsize=64)
def count_tokens(model: Path, text: str) -> int | None:
    """Count the tokens of a text for the model; None if its tokenizer cannot be used. May take seconds."""
    measured = _measured(model / "tokenizer.json", text, None)
    return None if measured is None else measured[0]


def source_tokens(model: Path, source: Source, rules: PictureRules | None) -> int | None:
    """Count the tokens of a file or folder of a folder of chats; None if they cannot be counted.

    Without `rules` the model does not see: pictures are left out, and cost nothing.
    """
    text = files_text((source,))
    tokens = count_tokens(model, text) if text else 0
    return None if tokens is None else tokens + picture_tokens(source.files, rules)


def picture_tokens(files: Iterable[Attachment | SourceFile], rules: PictureRules | None) -> int:
    """Return the tokens of the pictures among files for a model with these `rules`; 0 without them."""
    return 0 if rules is None else sum(rules.tokens(picture.width, picture.height) for picture in pictures_in(files))


def parts_in_tokens(model: Path, attachment: Attachment, tokens: int) -> Extent | None:
    """Return the extent of the first pages, slides or sheets of a file that have at most `tokens` tokens of the model.

    None if not even the first does, and if the parts or tokens are unknown.
    """
    extent = extent_of(attachment)
    if not extent.ends:
        return None
    measured = _measured(model / "tokenizer.json", attachment.text, tokens - _LINE_TOKENS)
    return None if measured is None else first_parts(extent, measured[1])


def cut_to_tokens(model: Path, attachment: Attachment, tokens: int) -> Attachment | None:
    """Cut an attachment to at most `tokens` tokens of the model, without pictures.

    Returns None if the model's tokenizer cannot be used.
    """
    measured = _measured(model / "tokenizer.json", attachment.text, tokens)
    if measured is None:
        return None
    characters = measured[1]
    text = attachment.text[:characters]
    extent = extent_of(attachment)
    if characters < len(attachment.text):
        begun = sum(end < characters for end in extent.ends) + 1
        extent = replace(extent, numbers=extent.numbers[:begun], ends=extent.ends[:begun], cut=Cut())
    return replace(attachment, text=text, media_type=_type_of_cut(attachment, text, extent), inner=())


def _measured(file: Path, text: str, tokens: int | None) -> tuple[int, int] | None:
    """Return the number of tokens, and how many characters the first `tokens` of them cover."""
    if not file.is_file():
        return None
    # Imported here because the imports are slow and most questions have no attachment.
    from engine.sandbox.errors import SandboxError
    from engine.tokenizers.prompt_process import BUILD_S, PROMPT_PROCESS
    from engine.tokenizers.tasks import count_tokens as count

    if is_known_good(file.parent):
        return count(str(file), text, tokens)
    # An unknown tokenizer may take any time and memory, so it never runs in this process.
    try:
        return PROMPT_PROCESS.run(partial(count, str(file), text, tokens), BUILD_S)
    except SandboxError:
        return None
