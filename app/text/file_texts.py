"""The texts of files that people attach and programs send: text and code in any encoding, and PDF files. No Qt."""

from __future__ import annotations

from app.system.cancelled import Cancelled
from app.text.encodings import decode, has_no_controls
from engine.errors import EngineClosed, TemplateFailed
from engine.files.reading_time import ReadingTime, TimeSpent

# Longer texts fit no context and would only be refused later.
LARGEST_BYTES = 2 * 2**20
# Seconds of computing for a PDF file. A dense page takes 0.01 to 0.03, and 400 of them are as long as LARGEST_BYTES.
PDF_S = 10
PLAIN, PDF, CHARSET = "text/plain", "application/pdf", "; charset="
_PDF_REASONS = {"too-slow": "too-slow", "too-large": "too-much-memory"}


class NotAttachable(Exception):
    """A file cannot be attached. `reason` is "not-text", "unknown-encoding", "too-large", "unreadable" or "picture".

    For PDF files, it may also be "encrypted", "damaged", "no-text" (it has only pictures), "too-slow",
    "too-much-memory" or "no-time" (others took it); for files of folders also "gone" or "too-many".
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name, self.reason = name, reason

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def is_pdf(name: str, content: bytes = b"") -> bool:
    """Whether a file is a PDF file by its name or its beginning."""
    return name.lower().endswith(".pdf") or content.startswith(b"%PDF-")


def text_of_file(name: str, content: bytes, language: str = "", time: ReadingTime | None = None) -> tuple[str, str]:
    """Return the media type and the text of a file; the type names the encoding if that was guessed for `language`.

    PDF files are read in a process with limits, and within `time`. Raises NotAttachable, and Cancelled when `time` is
    abandoned.
    """
    if is_pdf(name, content):
        return PDF, _pdf_text(name, content, time or ReadingTime())
    if (decoded := decode(content, language)) is None:
        raise NotAttachable(name, "unknown-encoding" if has_no_controls(content) else "not-text")
    text, guess = decoded
    return f"{PLAIN}{CHARSET}{guess}" if guess else PLAIN, text


def _pdf_text(name: str, content: bytes, time: ReadingTime) -> str:
    """Return the text of all pages of a PDF file."""
    # Imported here because most questions have no PDF file.
    from engine.tokenizers.prompt_process.client import PDF_PROCESS
    from engine.tokenizers.prompt_process.files import read_in_time

    try:
        read = read_in_time(
            PDF_PROCESS,
            lambda process, seconds: process.read_pdf(content, LARGEST_BYTES, seconds, time.abandoned),
            PDF_S,
            time,
        )
    except EngineClosed as error:
        raise Cancelled from error
    except TimeSpent as error:
        raise NotAttachable(name, "no-time") from error
    except TemplateFailed as error:
        raise NotAttachable(name, _PDF_REASONS.get(error.reason, "damaged")) from error
    if read.problem:
        raise NotAttachable(name, read.problem)
    return read.text
