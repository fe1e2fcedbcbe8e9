"""Lets pages of allowed origins ask and read, by the CORS protocol of the Fetch standard.

A browser asks first whether a page may send a method and headers (a preflight, which has no key), and shows a page only
answers that name its origin, errors among them.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.guard import PROGRAM_ORIGIN, ApiSettings


class AllowedOrigins:
    """ASGI middleware around the guard that lets pages that `settings` allow call by `methods`, and read every answer.

    They may send every header that they ask for, because those of the SDKs are many and change, and call from the
    public network. Cookies are not allowed. The guard still asks for the key, and refuses the pages of other origins.
    """

    def __init__(self, guard: ASGIApp, settings: ApiSettings, methods: Collection[str]) -> None:
        self._guard = guard
        self._allows = settings.allows
        self._cors = CORSMiddleware(
            guard,
            settings.origins,
            methods,
            allow_headers=("*",),
            allow_origin_regex=PROGRAM_ORIGIN.pattern,
            allow_private_network=True,
            expose_headers=("*",),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        origin = Headers(scope=scope).get("origin") if scope["type"] == "http" else None
        # `CORSMiddleware` says to pages of other origins as well what those of an allowed one may do.
        is_refused = origin is not None and not self._allows(origin)
        app = self._guard if is_refused else self._cors
        await app(scope, receive, send)
