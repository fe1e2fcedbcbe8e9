"""Print the text of a release: first the notes for its maintainer, then the news.

    python packaging/release_text.py VERSION

HAS_MACOS_CERTIFICATE and HAS_APPLE_ID say "true" where a secret is set, and TESTS how the job of the tests has ended.
"""

from __future__ import annotations

import os
import sys

from feed import news_of

_NOT_SIGNED = (
    "The macOS app is not {}: after the first try to open it, choose “Open Anyway” in System Settings > "
    "Privacy & Security."
)
# macOS remembers what it allowed for one signature. Without an identity, each version has another one.
_ASKS_AGAIN = "After each update, macOS asks again for the keychain's password and for access to folders."


def main(version: str) -> None:
    """Print the text, in Markdown."""
    parts = []
    if os.environ.get("TESTS") != "success":
        parts.append("**The tests of this tag have not passed: look at the run before you publish this.**")
    if os.environ.get("HAS_MACOS_CERTIFICATE") != "true":
        parts.append(f"{_NOT_SIGNED.format('signed')} {_ASKS_AGAIN}")
    elif os.environ.get("HAS_APPLE_ID") != "true":
        parts.append(_NOT_SIGNED.format("notarised by Apple"))
    print("\n\n".join([*parts, news_of(version)]))


if __name__ == "__main__":
    main(sys.argv[1])
