"""On whose behalf a call is made.

All callers have one key. What keeps their questions apart is what a call says of its user, and where it comes from, so
that nobody can find out by guessing what somebody else has asked (`ChatRequest.caller`).
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from app.api.requests.constraints import ConstrainedSettings

# The header in which Open WebUI can name its user.
USER_HEADER = "x-openwebui-user-id"
# Claude Code's `metadata.user_id` ends with this and the id of a session; newer versions send an object as JSON.
_SESSION = "_session_"


class UserSettings(ConstrainedSettings, kw_only=True):
    """The fields of every endpoint that answers, with those in which programs say who their user is.

    These are two of the OpenAI API, and `metadata.user_id` of Anthropic's.
    """

    user: str | None = None
    safety_identifier: str | None = None
    metadata: dict[str, Any] | None = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        fields = super().normalised(body, skipped)
        for name, kind in (("user", str), ("safety_identifier", str), ("metadata", dict)):
            if isinstance(fields.get(name), int):
                # Programs send their users' numbers.
                fields[name] = str(fields[name])
            if fields.get(name) is not None and not isinstance(fields[name], kind):
                skipped.append(name)
                fields[name] = None
        return fields

    def caller(self, address: str, named: str) -> str:
        """Return a name for whoever makes this call. It differs if the user or the computer that calls does.

        `address` is that of another computer, "" for this one; `named` is what USER_HEADER says, or "".
        """
        names = (
            self.user,
            self.safety_identifier,
            _without_session((self.metadata or {}).get("user_id")),
            named,
        )
        user = next((name for name in names if name and isinstance(name, str)), "")
        # An address has no spaces.
        return f"{address} {user}"


def _without_session(user_id: Any) -> Any:
    """Return a `user_id` without the session of Claude Code in it: a user's sessions may share what they read."""
    if not isinstance(user_id, str):
        return user_id
    with suppress(ValueError):
        parts = json.loads(user_id)
        if isinstance(parts, dict) and parts.pop("session_id", None) is not None:
            return json.dumps(parts, sort_keys=True)
    return user_id.partition(_SESSION)[0] or user_id
