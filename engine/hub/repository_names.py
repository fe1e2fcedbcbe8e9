"""Checks of names from people and servers: repositories, pasted addresses, tags, files of a repository."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from engine.hub.failures import HubError

_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
_REPOSITORY = re.compile(rf"{_PART}/{_PART}")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")
CONTENT_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
COMMIT = re.compile(r"[0-9a-f]{40}")
_HEAD_SUFFIX = "-mtp-head"
_HOSTS = ("huggingface.co/", "hf.co/", "www.huggingface.co/")


# An address of a file, and a name with a tag as Ollama and llama.cpp take it.
_GGUF_ADDRESS = re.compile(r"(.*/[^/]+/[^/]+)/(?:blob|resolve)/[^/]+/(.+\.gguf)(?:[?#].*)?", re.IGNORECASE)
_TAGGED = re.compile(r"((?:https?://)?(?:[^/:]+/)?[^/:]+/[^/:]+):([^:]+)", re.IGNORECASE)


def split_tag(text: str) -> tuple[str, str]:
    """Return the name and the tag, or the file, of a GGUF model that was typed or pasted; "" for none or "latest"."""
    text = text.strip().strip("\"'<>")
    match = _GGUF_ADDRESS.fullmatch(text) or _TAGGED.fullmatch(text)
    if match is None:
        return text, ""
    tag = unquote(match[2])
    return (match[1], "") if tag.lower() == "latest" else (match[1], tag)


def split_name(name: str) -> tuple[str, str]:
    """Return the repository of a download, and the name of the GGUF files that it is of; "" for a whole repository."""
    owner, repository, files = (*name.split("/", 2), "", "")[:3]
    return f"{owner}/{repository}", files


def parse_name(text: str) -> str:
    """Return the name of a download, as `split_name` takes it apart, or as `parse_repository`. Raises `HubError`."""
    repository, files = split_name(text)
    if not is_plain_path(files) or not _REPOSITORY.fullmatch(repository) or text.lower().startswith(_HOSTS):
        return parse_repository(text)
    return f"{parse_repository(repository)}/{files}"


def parse_repository(text: str) -> str:
    """Return `organisation/name` for a name, or the address of a page or a file, that a person typed or pasted.

    Raises `HubError` (bad-name).
    """
    text = text.strip().strip("\"'<>")
    path = text
    if "://" in text or text.lower().startswith(_HOSTS):
        try:
            path = unquote(urlsplit(text if "://" in text else f"https://{text}").path).strip("/")
        except ValueError as error:
            raise HubError("bad-name", text[:200]) from error
        path = path.removeprefix("models/")
        if path.startswith(("datasets/", "spaces/", "collections/")):
            raise HubError("bad-name", text[:200])
    elif text.startswith("models--"):
        path = text.removeprefix("models--").replace("--", "/", 1)
    name = "/".join(path.split("/")[:2]) if "://" in text or path != text else path
    if not _REPOSITORY.fullmatch(name) or "--" in name or ".." in name:
        raise HubError("bad-name", text[:200])
    return name


def head_name(repository: str) -> str:
    """Return the name under which the MTP head that is part of a repository is kept and downloaded."""
    return repository + _HEAD_SUFFIX


def head_of(name: str) -> str:
    """Return the repository that the head called `name` is part of; "" for any other name."""
    return name.removesuffix(_HEAD_SUFFIX) if name.endswith(_HEAD_SUFFIX) else ""


def is_revision(text: str) -> bool:
    """Whether `text` can be a branch, tag or commit, and stays inside its folder as a path."""
    return bool(_REVISION.fullmatch(text)) and ".." not in text and "//" not in text


def is_content_hash(text: object) -> bool:
    """Whether `text` is a git-sha1 or SHA-256 in lower-case hexadecimal."""
    return isinstance(text, str) and bool(CONTENT_HASH.fullmatch(text))


def is_plain_path(name: object) -> bool:
    """Whether a repository's file name is relative, stays inside, and is valid on every system."""
    if not isinstance(name, str) or not name or len(name) > 400 or "\\" in name or ":" in name:
        return False
    if any(ord(character) < 32 for character in name):
        return False
    return all(part not in ("", ".", "..") and len(part) <= 200 for part in name.split("/"))
