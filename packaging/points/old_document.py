"""Attach a document of Word 97 that textutil writes: a process without network starts textutil, or LibreOffice.

Prints the text of the document.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from app.session.attachments import read_attachment

LETTER = "Tandem reads this letter."


def main() -> None:
    """Raises `SystemExit` if the text is another one, and what `read_attachment` does if it cannot be read."""
    with tempfile.TemporaryDirectory() as folder:
        letter = Path(folder, "old.txt")
        letter.write_text(LETTER, encoding="utf-8")
        subprocess.run(["textutil", "-convert", "doc", str(letter)], check=True)
        text = read_attachment(letter.with_suffix(".doc")).text.strip()
    if text != LETTER:
        raise SystemExit(f"the letter says {text!r}")
    print(text)


if __name__ == "__main__":
    main()
