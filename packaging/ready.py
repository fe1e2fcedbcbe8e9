"""Stop a release before hours of building, if what would be built could not be published as it has to be.

    python packaging/ready.py

The release workflow runs this first. GITHUB_REF_NAME is the tag and GITHUB_REPOSITORY the repository; TANDEM_FEED_KEY
is the secret itself, and HAS_<name of a secret> says "true" where another one is set. Raises `SystemExit` with all
problems, each with what to do. packaging/README.md describes the secrets.
"""

from __future__ import annotations

import base64
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from feed import news_of

ROOT = Path(__file__).resolve().parents[1]
# Secrets that are of use together only.
_TOGETHER = (("MACOS_CERTIFICATE", "MACOS_CERTIFICATE_PASSWORD"), ("APPLE_ID", "APPLE_TEAM", "APPLE_APP_PASSWORD"))


def main() -> None:
    """Print what speaks against this release. Raises `SystemExit` if anything does."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    source = json.loads((ROOT / "resources" / "updates.json").read_text(encoding="utf-8"))
    problems = [
        *problems_of_version(version, os.environ["GITHUB_REF_NAME"]),
        *problems_of_feed(source, os.environ.get("TANDEM_FEED_KEY", ""), os.environ["GITHUB_REPOSITORY"]),
        *problems_of_secrets(os.environ),
    ]
    if problems:
        raise SystemExit("\n".join(problems))
    print(f"{version} can be built.")


def problems_of_version(version: str, tag: str) -> Iterator[str]:
    """Yield the faults of the tag, and of the changelog's part on the version."""
    if tag != f"v{version}":
        yield f"The tag is {tag}, but pyproject.toml says {version}: set the version first, then the tag."
    news_of(version)
    titles = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    if any(title.startswith(f"## {version} ") and "not released yet" in title for title in titles):
        yield f"CHANGELOG.md says that {version} is not released yet: write its date there."


def problems_of_feed(source: Mapping[str, str], private_key: str, repository: str) -> Iterator[str]:
    """Yield why the app would never hear of a newer version. Nobody could tell its users later."""
    address = source["feed"]
    latest = f"https://github.com/{repository}/releases/latest/download/feed.json"
    if not address:
        yield f'resources/updates.json has no address of a feed: write "{latest}" there.'
    elif address != latest:
        yield f"The feed is uploaded to {latest}, but the app reads {address}, by resources/updates.json."
    if not source["key"]:
        yield "resources/updates.json has no public key: run `python packaging/feed.py keys`."
    if not private_key:
        yield "The secret TANDEM_FEED_KEY is missing: it is what `python packaging/feed.py keys` printed."
    elif source["key"] and public_key_of(private_key) != source["key"]:
        yield "The secret TANDEM_FEED_KEY does not belong to the public key in resources/updates.json."


def public_key_of(private_key: str) -> str:
    """Return the public key of a private one, both in base64; "" if that is none."""
    try:
        private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(private_key))
    except ValueError:
        return ""
    return base64.b64encode(private.public_key().public_bytes_raw()).decode()


def problems_of_secrets(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield which secrets are missing beside others. Without all of them, the app is not signed, which is allowed."""
    present = {name for group in _TOGETHER for name in group if environment.get(f"HAS_{name}") == "true"}
    for group in _TOGETHER:
        missing = [name for name in group if name not in present]
        if missing and len(missing) < len(group):
            yield f"The secret {' and '.join(missing)} is missing beside {' and '.join(sorted({*group} & present))}."
    if "APPLE_ID" in present and "MACOS_CERTIFICATE" not in present:
        yield "Apple notarises only what is signed: the secret MACOS_CERTIFICATE is missing."


if __name__ == "__main__":
    main()
