"""The settings that a person types into programs that keep them where no other program should write.

Each function returns lines with the program's own words for its menus and fields, as its documents have them. `address`
is the address of the local API without a path, and `key` the words that stand for its key.
"""

from __future__ import annotations

# Typed in place of a key that the API asks for: the key is never shown here.
OWN_KEY = "(the key of Tandem's local API)"


def claude_desktop(address: str, key: str) -> str:
    """Claude Desktop takes HTTP on 127.0.0.1 only, and lists only models whose names begin as Claude's do.

    The API answers such a name, which no model here has, with the loaded model.
    """
    return f"""\
Help > Troubleshooting > Enable Developer Mode
Developer > Configure Third-Party Inference
  Inference provider: Gateway
  Gateway base URL: {address}
  Gateway API key: {key}
  Gateway auth scheme: bearer
  Models: claude-tandem
"""


def xcode(address: str, key: str) -> str:
    """Xcode 26 and newer ask a locally hosted provider for its models, without a key."""
    if key == OWN_KEY:
        return f"""\
Xcode > Settings > Intelligence > Add a Model Provider > Internet Hosted
  URL: {address}
  API Key: {key}
  API Key Header: x-api-key
  Description: Tandem
"""
    return f"""\
Xcode > Settings > Intelligence > Add a Model Provider > Locally Hosted
  Port: {address.rpartition(":")[2]}
  Description: Tandem
"""


def jetbrains(address: str, key: str) -> str:
    """The AI Assistant of JetBrains' programs takes any endpoint that is like OpenAI's."""
    return f"""\
Settings > Tools > AI Assistant > Providers & API keys > Third-party AI providers
  Provider: OpenAI-compatible
  URL: {address}/v1
  API Key: {key}
  Tool calling: on
"""


def n8n(address: str, key: str) -> str:
    """n8n often runs in a container, for which this computer has another name."""
    port = address.rpartition(":")[2]
    return f"""\
Create Credential > OpenAI
  API Key: {key}
  Base URL: {address}/v1
  Base URL, if n8n runs in Docker: http://host.docker.internal:{port}/v1
OpenAI Chat Model > Model > By ID: tandem
"""


def home_assistant(address: str, key: str) -> str:
    """Home Assistant runs on another computer as a rule. Its integration for Ollama takes the API's models."""
    port = address.rpartition(":")[2]
    return f"""\
Settings > Devices & services > Add integration > Ollama
  URL: http://(the address of this computer in your network):{port}
  API key: {key}
  Model: one of the list
In Tandem: Settings > Local API, for other computers too
"""


def codex_app(address: str, key: str) -> str:
    """The app reads the file of `codex` without a profile, and no variables of a terminal."""
    token = "" if key != OWN_KEY else f'model_providers.tandem.experimental_bearer_token = "{key}"\n'
    return f"""\
At the beginning of ~/.codex/config.toml, instead of lines with the same names:

model = "tandem"
model_provider = "tandem"
model_providers.tandem.name = "Tandem"
model_providers.tandem.base_url = "{address}/v1"
model_providers.tandem.wire_api = "responses"
model_providers.tandem.stream_idle_timeout_ms = 900000
{token}"""
