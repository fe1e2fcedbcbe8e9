"""The texts of files that people attach and programs send: text and code in any encoding, and documents. No Qt."""

from __future__ import annotations

from mimetypes import guess_type

from app.system.cancelled import Cancelled
from app.text.encodings import decode, has_no_controls
from engine.documents.document import is_document, is_page
from engine.documents.web_page import declared_encoding
from engine.errors import EngineClosed, TemplateFailed
from engine.files.reading_time import ReadingTime, TimeSpent

# Longer texts fit no context and would only be refused later.
LARGEST_BYTES = 2 * 2**20
# Seconds of computing for a document. A dense page takes 0.01 to 0.03, and 400 of them are as long as LARGEST_BYTES.
DOCUMENT_S = 10
PLAIN, PDF, HTML, CHARSET = "text/plain", "application/pdf", "text/html", "; charset="
_REASONS = {"too-slow": "too-slow", "too-large": "too-much-memory"}


class NotAttachable(Exception):
    """A file cannot be attached. `reason` is "not-text", "unknown-encoding", "too-large", "unreadable" or "picture".

    For documents, it may also be a problem of `DocumentText`, "too-slow", "too-much-memory" or "no-time" (others took
    it); for files of folders also "gone" or "too-many".
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name, self.reason = name, reason

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def text_of_file(name: str, content: bytes, language: str = "", time: ReadingTime | None = None) -> tuple[str, str]:
    """Return the media type and the text of a file; the type names the encoding if that was guessed for `language`.

    Documents are read in a process with limits, and within `time`; their text is Markdown. Raises NotAttachable, and
    Cancelled when `time` is abandoned.
    """
    given = time or ReadingTime()
    if is_document(name, content) and not is_page(name):
        kind = guess_type(name)[0] or "application/octet-stream"
        return PDF if content.startswith(b"%PDF-") else kind, _document_text(name, content, given)
    declared = declared_encoding(content) if is_page(name) else ""
    if (decoded := (content.decode(declared, "replace"), "") if declared else decode(content, language)) is None:
        raise NotAttachable(name, "unknown-encoding" if has_no_controls(content) else "not-text")
    text, guess = decoded
    text = _document_text(name, text.encode(), given) if is_page(name) else text
    kind = HTML if is_page(name) else PLAIN
    return f"{kind}{CHARSET}{guess}" if guess else kind, text


def _document_text(name: str, content: bytes, time: ReadingTime) -> str:
    # Imported here because most questions have no document.
    from engine.tokenizers.prompt_process.client import DOCUMENT_PROCESS
    from engine.tokenizers.prompt_process.files import read_in_time

    try:
        read = read_in_time(
            DOCUMENT_PROCESS,
            lambda process, seconds: process.read_document(name, content, LARGEST_BYTES, seconds, time.abandoned),
            DOCUMENT_S,
            time,
        )
    except EngineClosed as error:
        raise Cancelled from error
    except TimeSpent as error:
        raise NotAttachable(name, "no-time") from error
    except TemplateFailed as error:
        raise NotAttachable(name, _REASONS.get(error.reason, "unreadable")) from error
    if read.problem:
        raise NotAttachable(name, read.problem)
    return read.text
