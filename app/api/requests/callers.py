"""On whose behalf a call is made.

All callers have one key. What keeps their questions apart is what a call says of its user, and where it comes from, so
that nobody can find out by guessing what somebody else has asked (`ChatRequest.caller`).
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import Any

from app.api.requests.constraints import ConstrainedSettings

# The headers in which Open WebUI, and Anthropic's clients by their `user_profile_id`, can name the user.
USER_HEADERS = ("x-openwebui-user-id", "anthropic-user-profile-id")
# Claude Code's `metadata.user_id` ends with this and the id of a session; newer versions send an object as JSON.
_SESSION = "_session_"


class UserSettings(ConstrainedSettings, kw_only=True):
    """The fields of every endpoint that answers, with those in which programs say who their user is.

    These are two of the OpenAI API, and `metadata.user_id` and `user_profile_id` of Anthropic's.
    """

    user: str | None = None
    safety_identifier: str | None = None
    metadata: dict[str, Any] | None = None
    # In a body only where Anthropic's client speaks to Bedrock; elsewhere it is one of USER_HEADERS.
    user_profile_id: str | None = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        fields = super().normalised(body, skipped)
        for name in ("user", "safety_identifier", "user_profile_id"):
            # Programs send their users' numbers, and some of them objects.
            if fields.get(name) is not None:
                fields[name] = _as_text(fields[name])
        if fields.get("metadata") is not None and not isinstance(fields["metadata"], dict):
            skipped.append("metadata")
            fields["metadata"] = None
        return fields

    def caller(self, address: str, *named: str) -> str:
        """Return a name for whoever makes this call. It differs if the user or the computer that calls does.

        `address` is that of another computer, "" for this one; `named` is what USER_HEADERS say, or "". All names of
        the user count: a program that sets a header passes on bodies of its users, who must not choose another one's
        name there. The name is a digest, so it is as short for a long `user`, and says nothing of them.
        """
        of_metadata = (self.metadata or {}).get("user_id")
        written = "" if of_metadata is None else _without_session(_as_text(of_metadata))
        # One name counts once, wherever programs write it.
        names = dict.fromkeys(filter(None, (*named, self.user, self.safety_identifier, self.user_profile_id, written)))
        return hashlib.sha256(json.dumps([address, *names]).encode()).hexdigest()


def _as_text(name: Any) -> str:
    """Return what a program has in place of a user's name as a text, which differs if that does."""
    return name if isinstance(name, str) else json.dumps(name, sort_keys=True)


def _without_session(user_id: str) -> str:
    """Return a `user_id` without the session of Claude Code in it: a user's sessions may share what they read."""
    with suppress(ValueError):
        parts = json.loads(user_id)
        if isinstance(parts, dict) and parts.pop("session_id", None) is not None:
            return json.dumps(parts, sort_keys=True)
    return user_id.partition(_SESSION)[0] or user_id
