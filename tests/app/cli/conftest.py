"""The fake Hub and a cache of its own, for tests of the commands."""

from __future__ import annotations

from tests.engine.hub.conftest import cache as cache
from tests.engine.hub.conftest import hub as hub
