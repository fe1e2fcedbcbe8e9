"""What can go wrong with a server of tools, as codes with arguments; `app.wording.tools` words them."""

from __future__ import annotations

from engine.errors import CodedError

# The sentences for logs. `server` is the server's name; `detail` is what the system, the server or a library said.
CODES = {
    "not-json": "this is not JSON ({detail})",
    "no-servers": 'this names no servers: expected an object with "mcpServers"',
    "bad-name": "{server} cannot be the name of a server",
    "bad-field": "{server}: {field} must look like {example}",
    "one-of": "{server} needs either a command or a url",
    "old-transport": "{server} uses the transport SSE, not streamable HTTP",
    "no-secrets": "the values of {names}, which {server} needs, are not in the keychain",
    "unknown-server": "there is no server {server}",
    "not-approved": "nobody has agreed to run {server} as it is set up now",
    "no-command": "{server}: there is no command {command}",
    "not-startable": "{server} cannot be started: {detail}",
    "ended-at-start": "{server} ended when it was started: {detail}",
    "ended": "{server} has ended: {detail}",
    "slow-start": "{server} was not ready after {seconds} seconds",
    "slow-call": "{server} gave no result for {tool} within {seconds} seconds",
    "too-large": "{server} sent more than {megabytes} MB in one message",
    "not-mcp": "{server} does not speak MCP: {detail}",
    "wrong-version": "{server} speaks another version of MCP: {detail}",
    "refused-start": "{server} refused to start: {detail}",
    "unreachable": "{server} cannot be reached: {detail}",
    "not-trusted": "the certificate of {server} cannot be trusted: {detail}",
    "not-signed-in": "{server} refuses access (HTTP {status})",
    "redirected": "{server} refers to {address}",
    "http-status": "{server} answers with HTTP {status}",
    "unknown-tool": "{server} has no tool {tool} any more",
    "changed-tool": "{server} has changed the tool {tool} since it was allowed",
    "needs-input": "{server} asks for something that Tandem cannot give while {tool} runs",
    "refused": "{server} refused the call of {tool}: {detail}",
    "bad-result": "the result of {tool} from {server} is not one that MCP allows: {detail}",
}


class ToolFailed(CodedError):
    """A server or a call of its tool failed: `code` is a key of `CODES`, `arguments` fill its sentence."""

    def __init__(self, code: str, **arguments: object) -> None:
        super().__init__(CODES[code].format(**arguments), **arguments)
        self.code = code
