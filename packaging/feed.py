"""Write and sign the release feed that "Check for updates…" reads.

    python packaging/feed.py keys                        a new pair: resources/updates.json gets the public key
    python packaging/feed.py sign VERSION PAGE FOLDER    writes FOLDER/feed.json and FOLDER/feed.json.sig
    python packaging/feed.py news VERSION                the news of it, for the text of the release

The private key, which only publishers of releases have, is in TANDEM_FEED_KEY, in base64. The news are the version's
part of CHANGELOG.md. The feed is valid for VALID_DAYS: sign it again before they are over.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "resources" / "updates.json"
RAW = serialization.Encoding.Raw
VALID_DAYS = 90


def main(command: str, *arguments: str) -> None:
    """Run one command of the usage above. Raises `SystemExit` for another one."""
    if command == "keys":
        make_keys()
    elif command == "sign":
        sign(*arguments)
    elif command == "news":
        print(news_of(*arguments))
    else:
        raise SystemExit(__doc__)


def make_keys() -> None:
    """Print a new private key, once, and store the public one."""
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes(RAW, serialization.PublicFormat.Raw)
    source = json.loads(SOURCE.read_text(encoding="utf-8")) | {"key": base64.b64encode(public).decode()}
    SOURCE.write_text(json.dumps(source, indent=2) + "\n", encoding="utf-8")
    secret = private.private_bytes(RAW, serialization.PrivateFormat.Raw, serialization.NoEncryption())
    print(f"TANDEM_FEED_KEY={base64.b64encode(secret).decode()}")


def sign(version: str, page: str, folder: str) -> None:
    """Write the feed of a release, with its news, and its signature. Raises KeyError without TANDEM_FEED_KEY."""
    write_signed(version, page, news_of(version), folder)


def write_signed(version: str, page: str, news: str, folder: str) -> None:
    """Write the feed of a release with these news, and its signature. Raises KeyError without TANDEM_FEED_KEY."""
    expires = (datetime.now(UTC) + timedelta(days=VALID_DAYS)).date().isoformat()
    content = {"version": version, "page": page, "news": {"en": news}, "expires": expires}
    feed = json.dumps(content, indent=2).encode()
    private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(os.environ["TANDEM_FEED_KEY"]))
    Path(folder, "feed.json").write_bytes(feed)
    Path(folder, "feed.json.sig").write_bytes(base64.b64encode(private.sign(feed)))


def news_of(version: str) -> str:
    """Return the version's part of CHANGELOG.md, without its title."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(version)}\b.*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section is None:
        raise SystemExit(f"CHANGELOG.md says nothing of {version}")
    return section[1].strip()


if __name__ == "__main__":
    main(*sys.argv[1:])
