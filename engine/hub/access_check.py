"""Check with two small requests whether a Hub can be reached as configured, and whether it accepts the token."""

from __future__ import annotations

from dataclasses import replace

from engine.hub.client import HUGGING_FACE, HubAccess, HubClient
from engine.hub.failures import HubError
from engine.hub.values import ACCEPTED, NONE, REFUSED, UNKNOWN, AccessReport


def check_access(access: HubAccess) -> AccessReport:
    """Ask the Hub for one model and for the owner of the token. Raises `HubError`; offline, without connecting."""
    # Without the token, so that a wrong one does not look like a wrong address.
    with HubClient(replace(access, token=None)) as client:
        models, _ = client.get_json("/api/models", limit=1)
    if not isinstance(models, list):
        raise HubError("wrong-mirror", endpoint=access.endpoint)
    token, user = _token_owner(access) if access.token else (NONE, "")
    return AccessReport(access.endpoint != HUGGING_FACE, access.proxy is not None, token, user)


def _token_owner(access: HubAccess) -> tuple[str, str]:
    with HubClient(access) as client:
        try:
            answer, _ = client.get_json("/api/whoami-v2")
        except HubError as error:
            if error.reason == "token-refused":
                return REFUSED, ""
            if error.reason in ("wrong-mirror", "missing", "forbidden"):
                return UNKNOWN, ""
            raise
    name = answer.get("name") if isinstance(answer, dict) else None
    return (ACCEPTED, name) if isinstance(name, str) else (UNKNOWN, "")
