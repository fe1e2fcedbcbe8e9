"""The fixtures of a library with a fake Hub, and of fake clusters."""

from __future__ import annotations

from tests.app.hub_library import hub as hub
from tests.app.hub_library import hub_window as hub_window
from tests.app.hub_library import library as library
from tests.app.hub_library import paths as paths
from tests.app.hub_library import tiny_pair as tiny_pair
from tests.app.session.conftest import fakes as fakes
