"""The metadata of services that sign people in (RFC 8414), made readable for the package, which takes no liberties.

Many services name themselves with a slash at the end of their address, or without, otherwise than the server of tools
does, some by another name altogether, and some write fields that are optional in another form. No Qt in here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp.shared.auth import OAuthMetadata
from pydantic import ValidationError

_WELL_KNOWN = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
# Those that a service may write as one text with spaces.
_LISTS = ("scopes_supported", "grant_types_supported", "code_challenge_methods_supported")


@dataclass(frozen=True)
class Issuer:
    """A service that signs people in: `expected` is the name that the server of tools has for it, `named` its own."""

    expected: str
    named: str

    @property
    def is_other(self) -> bool:
        """Whether the names differ by more than a slash at their end."""
        return not same_issuer(self.expected, self.named)


def same_issuer(name: str, other: str) -> bool:
    """Return whether two names of services differ in nothing but a slash at their end."""
    return name.removesuffix("/") == other.removesuffix("/")


def readable_metadata(answer: httpx2.Response, expected: str) -> tuple[httpx2.Response, Issuer | None]:
    """Return an answer that names its service as `expected`, and how it names itself; others as they are, and None.

    Fields that have another form than they should are left out, or read as lists.
    """
    path = urlsplit(str(answer.request.url)).path
    if answer.status_code != 200 or not any(known in path for known in _WELL_KNOWN):
        return answer, None
    try:
        fields = json.loads(answer.content)
    except (ValueError, RecursionError):
        return answer, None
    if not isinstance(fields, dict) or not isinstance(fields.get("issuer"), str):
        return answer, None
    issuer = Issuer(expected, fields["issuer"])
    content = json.dumps(_readable_fields({**fields, "issuer": expected})).encode()
    headers = {"content-type": "application/json"}
    return httpx2.Response(200, headers=headers, content=content, request=answer.request), issuer


def _readable_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields without those that the package cannot read; it refuses what lacks one that it needs."""
    readable = {key: value for key, value in fields.items() if value is not None}
    for key in _LISTS:
        if isinstance(readable.get(key), str):
            readable[key] = readable[key].split()
    try:
        OAuthMetadata.model_validate(readable)
    except ValidationError as error:
        wrong = {place["loc"][0] for place in error.errors() if place["loc"]}
        return {key: value for key, value in readable.items() if key not in wrong}
    return readable
