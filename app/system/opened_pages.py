"""Pages of answers that a person opens in the browser.

They are removed when Tandem starts and quits; what cannot be removed is named in the log.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from app.system.paths import cache_folder
from engine.files.atomic_file import write_atomically
from engine.files.private_files import make_folder
from engine.files.removal import remove_folder


def write_page(source: str) -> Path:
    """Write HTML into a private folder, and return its file. Raises OSError."""
    folder = cache_folder() / "pages"
    make_folder(folder)
    # Browsers read a file with this mark as UTF-8, whatever it says of itself.
    content = source.encode("utf-8-sig", "replace")
    page = folder / f"{hashlib.sha256(content).hexdigest()[:16]}.html"
    write_atomically(page, content)
    return page


def remove_pages() -> None:
    remove_folder(cache_folder() / "pages")
