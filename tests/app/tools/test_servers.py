"""What a person has set up: the file, the keychain, imports, and permissions."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from app.tools.servers import Server, ToolSettings, WebChoice, servers_from_json
from app.tools.tool import TANDEM, Permission, Tool, ToolFailed
from app.tools.transports import process_of
from app.tools.variables import decides, program_of
from app.tools.web_tools import tool_of_call, web_tools

TOOL = Tool("files", "read", "read", "Read", "Reads a file.", {"type": "object"}, read_only=True, origin="1")
FILES = Server(name="files", command="npx", values={"KEY": "secret"})


def wrong(**fields: object) -> str:
    return json.dumps({"mcpServers": {"files": fields}})


WRONG = [
    "not json", '{"mcpServers": {}}', "[]", '{"mcpServers": {"": {"command": "npx"}}}',
    '{"mcpServers": {"Tandem": {"command": "npx"}}}', '{"mcpServers": {"files": "npx"}}', wrong(command=5), wrong(),
    wrong(command="npx", url="https://localhost"), wrong(command="npx", args="-y"), wrong(command="npx", args=[["-y"]]),
    wrong(command="npx", env={"LD_PRELOAD=/evil.so": ""}), wrong(command="npx", env={"Program: /bin/sh": ""}),
    wrong(command="npx", env=["A=1"]), wrong(command="npx", env={"A": []}), wrong(url="localhost:80"),
    wrong(url="https://localhost", headers={"A": {}}), wrong(command={"path": None}), "[" * 100_000,
]  # fmt: skip
RIGHT = r"""/* Written "by hand" */ {
  // As Claude Desktop has it.
  "mcpServers" /* all */ : {
    "files": {"command": "npx", "args": ["-y", "server", "/tmp",], "env": {"KEY": "secret", "PORT": 80}, "icon": "x"},
    "remote": {"type": "sse", "url": "https://localhost/mcp", "headers": {"Authorization": "Bearer secret"}}, // "}
    "off": {"command": "uvx", "disabled": true, /* not now */ },
  },
  "theme": "dark"
} // "end"
"""
BOTH = {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}}
# The same servers as other programs write them.
FORMS: list[dict[str, object]] = [
    {"mcpServers": {"a": BOTH, "b": {"url": "https://b/mcp"}}},
    {"servers": {"a": {"type": "stdio", **BOTH}, "b": {"type": "http", "url": "https://b/mcp"}}, "inputs": []},
    {"mcp": {"servers": {"a": BOTH, "b": {"serverUrl": "https://b/mcp"}}, "inputs": [5]}},
    {"mcp.servers": {"a": BOTH}, "github.mcpServers": {"b": {"httpUrl": "https://b/mcp", "url": None}}},
    {
        "context_servers": {
            "a": {"source": "custom", "command": {"path": "npx", "args": ["-y", "x"], "env": {"K": "v"}}},
            "b": {"url": "https://b/mcp", "command": None, "args": None, "env": None},
        }
    },
    {
        "$schema": "https://opencode.ai/config.json",
        "mcp": {
            "a": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"K": "v"}, "enabled": True},
            "b": {"type": "remote", "url": "https://b/mcp"},
        },
    },
]


class Secrets(dict[str, str]):
    """A keychain in memory; None of it is kept if `works` is false."""

    works = True

    def read(self, endpoint: str) -> str | None:
        return self.get(endpoint)

    def write(self, endpoint: str, token: str) -> bool:
        if self.works:
            self[endpoint] = token
        return self.works

    def remove(self, endpoint: str) -> None:
        self.pop(endpoint, None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tools.json"


def test_servers_of_other_programs_are_imported_without_an_agreement() -> None:
    args, values = ("-y", "server", "/tmp"), {"KEY": "secret", "PORT": "80"}
    assert servers_from_json(RIGHT) == [
        Server(name="files", command="npx", args=args, values=values),
        Server(name="remote", url="https://localhost/mcp", values={"Authorization": "Bearer secret"}),
        Server(name="off", command="uvx", enabled=False),
    ]
    assert not any(one.is_approved for one in servers_from_json(RIGHT))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: next(iter(form)))
def test_the_forms_of_other_programs_mean_the_same(form: dict[str, object]) -> None:
    local = Server(name="a", command="npx", args=("-y", "x"), values={"K": "v"})
    assert servers_from_json(json.dumps(form)) == [local, Server(name="b", url="https://b/mcp")]


@pytest.mark.parametrize("part", ['"', '"\\\\"', "/*", "//", ",  ", "${:-", "\\\\"])
def test_a_file_that_is_made_to_be_slow_is_not(part: str) -> None:
    with pytest.raises(ToolFailed):
        servers_from_json(part * 500_000)


def test_strings_keep_what_looks_like_comments_and_other_values_become_text() -> None:
    args, env = ["//no", "/* no */", 'say \\"// no\\" ,]', 8, 1.5, True], {"A": None, "B": False, "C": 10**20}
    text = json.dumps({"servers": {"a": {"command": "x", "args": args, "env": env}}})
    [server] = servers_from_json(text.replace(", ", " , // one\n/* two\n */ ") + "/* open")
    assert server.args == (*args[:3], "8", "1.5", "true")
    assert server.values == {"B": "false", "C": str(10**20)}


def test_one_entry_that_cannot_be_used_is_named_and_the_others_come_in() -> None:
    problems: list[ToolFailed] = []
    text = json.dumps({"mcpServers": {"files": BOTH, "bad": {"command": 5}, "": BOTH, "none": "npx", "time": BOTH}})
    assert [one.name for one in servers_from_json(text, problems.append)] == ["files", "time"]
    assert [one.arguments["server"] for one in problems] == ["bad", "", "none"]


ASKING = {
    "inputs": [{"id": "token", "type": "promptString", "description": "A token of GitHub"}],
    "servers": {
        "a": {
            "command": "npx",
            "args": ["${workspaceFolder}/x", "--port=${PORT:-80}", "$HOME", "${input:token}"],
            "env": {
                "ENV": "${env:TOKEN}",
                "OWN": "{env:KEY}",
                "PART": "https://me:pass@${A}/${{ secrets.B }}",
                "SET": "Bearer ${A:-b}",
            },
        },
        "b": {"url": "${URL}/mcp", "headers": {"Authorization": "Bearer ${input:token}"}},
    },
}


def test_what_a_file_leaves_to_its_reader_is_asked_for_and_never_sent_as_letters(path: Path) -> None:
    local, remote = servers_from_json(json.dumps(ASKING))
    assert local.args == ("${workspaceFolder}/x", "--port=80", "$HOME", "${input:token}")
    assert local.values == {"ENV": "", "OWN": "", "PART": "", "SET": "Bearer b"}
    assert local.asks == {
        "${workspaceFolder}": "", "${input:token}": "A token of GitHub", "ENV": "${env:TOKEN}", "OWN": "{env:KEY}",
        "PART": "${A}, ${{ secrets.B }}",
    }  # fmt: skip
    assert remote.values == {"Authorization": ""}
    assert remote.asks == {"${URL}": "", "Authorization": "Bearer ${input:token}: A token of GitHub"}
    settings = ToolSettings(path, Secrets())
    settings.put(local)
    assert ToolSettings(path, Secrets()).servers[0].asks == local.asks
    assert "pass" not in path.read_text()
    with pytest.raises(ToolFailed, match="no-secrets"):
        settings.with_secrets(settings.servers[0])


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_file_names_the_server_and_the_field(text: str) -> None:
    with pytest.raises(ToolFailed) as error:
        servers_from_json(text)
    if "files" in text:
        assert error.value.arguments["server"] == "files"
        assert str(error.value.arguments.get("field", "")) in text


def test_the_file_is_private_and_has_no_secret(path: Path) -> None:
    secrets = Secrets()
    settings = ToolSettings(path, secrets)
    for server in servers_from_json(RIGHT):
        assert settings.put(server)
    assert "secret" not in path.read_text()
    assert "secret" in str(secrets)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = ToolSettings(path, secrets)
    assert [one.values for one in again.servers] == [{"KEY": "", "PORT": ""}, {"Authorization": ""}, {}]
    assert [again.with_secrets(one) for one in again.servers] == servers_from_json(RIGHT)


def test_an_edited_server_keeps_the_secrets_that_were_not_entered_again(path: Path) -> None:
    settings = ToolSettings(path, Secrets())
    settings.put(FILES)
    settings.put(changed(FILES, values={"KEY": "", "MORE": "new"}))
    assert settings.with_secrets(settings.servers[0]).values == {"KEY": "secret", "MORE": "new"}


def test_a_keychain_that_cannot_be_read_now_loses_nothing(path: Path) -> None:
    secrets = Secrets()
    ToolSettings(path, secrets).put(FILES)
    locked = ToolSettings(path, secrets)
    entry = secrets.popitem()
    locked.put(locked.servers[0].as_approved())
    secrets.update([entry])
    assert locked.with_secrets(locked.servers[0]).values == {"KEY": "secret"}


def test_without_a_keychain_secrets_are_for_this_run(path: Path) -> None:
    secrets = Secrets()
    secrets.works = False
    settings = ToolSettings(path, secrets)
    assert not settings.put(FILES)
    assert settings.with_secrets(settings.servers[0]).values == {"KEY": "secret"}
    again = ToolSettings(path, secrets)
    with pytest.raises(ToolFailed, match="KEY"):
        again.with_secrets(again.servers[0])


def test_a_removed_server_takes_its_secrets_and_permissions_with_it(path: Path) -> None:
    secrets = Secrets()
    settings = ToolSettings(path, secrets)
    settings.put(FILES)
    settings.permit(TOOL, Permission.ALWAYS)
    settings.remove("files")
    assert not secrets
    assert not ToolSettings(path, secrets).servers
    assert settings.permission(TOOL) is Permission.ASK


@pytest.mark.parametrize("content", ["{", "[]", '{"servers": 5}', '{"servers": [{"name": 1}]}', "\0" * 5_000_000])
def test_a_damaged_file_is_set_aside(path: Path, content: str) -> None:
    path.parent.mkdir()
    path.write_text(content)
    settings = ToolSettings(path, Secrets())
    assert settings.servers == ()
    [backup] = path.parent.glob("tools.*.backup.json")
    assert backup.read_text() == content


def test_an_agreement_is_for_exactly_what_runs() -> None:
    agreed = FILES.as_approved()
    assert agreed.is_approved
    assert changed(agreed, values={"KEY": "another"}, enabled=False).is_approved
    assert not any(
        changed(agreed, **other).is_approved
        for other in ({"command": "sh"}, {"args": ("/",)}, {"values": {"LD_PRELOAD": ""}}, {"url": "https://localhost"})
    )


# Of each kind: what decides which program runs, what loads code, and what does neither.
DECIDING = {
    "program": (
        "PATH", "HOME", "SHELL", "EDITOR", "GIT_SSH_COMMAND", "GIT_CONFIG_KEY_0", "npm_config_registry", "UV_INDEX",
    ),
    "code": (
        "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH",
        "PYTHONSTARTUP", "PYTHONHOME", "BASH_ENV", "ENV", "BASH_FUNC_ls%%", "RUBYOPT", "PERL5OPT", "JAVA_TOOL_OPTIONS",
        "OPENSSL_CONF", "GCONV_PATH",
    ),
    "": (
        "KEY", "GITHUB_TOKEN", "GIT_TOKEN", "NODE_ENV", "PYTHONUNBUFFERED", "PYTHONIOENCODING", "GIT_AUTHOR_NAME",
        "DATABASE_PATH", "MY_LD_PRELOAD", "UV_INDEX_MINE_PASSWORD", "OPENAI_API_KEY",
    ),
}  # fmt: skip


def test_variables_that_decide_what_runs_are_told_from_secrets() -> None:
    for kind, names in DECIDING.items():
        assert {name: decides(name) for name in names} == dict.fromkeys(names, kind)


def test_what_decides_what_runs_is_kept_in_clear_and_agreed_to(path: Path) -> None:
    secrets = Secrets()
    settings = ToolSettings(path, secrets)
    evil = changed(FILES, values={"KEY": "secret", "PATH": "/evil:/bin", "NODE_OPTIONS": "-r /evil.js"})
    settings.put(evil)
    [shown] = ToolSettings(path, secrets).servers
    assert shown.values == evil.values | {"KEY": ""}
    assert "evil" not in str(secrets)
    settings.put(shown.as_approved())
    [agreed] = settings.servers
    assert settings.with_secrets(agreed) == evil.as_approved()
    # Kept as it is if it is not entered again, and agreed to again if it changes.
    settings.put(changed(agreed, values={"KEY": "", "PATH": "", "NODE_OPTIONS": ""}))
    assert settings.servers == (agreed,)
    for values in ({"PATH": "/usr/bin"}, {"NODE_OPTIONS": "--inspect"}, {"LD_AUDIT": "/evil.so"}):
        assert not changed(agreed, values=agreed.values | values).is_approved
    assert changed(agreed, values=agreed.values | {"KEY": "another"}).is_approved
    # Headers are not variables.
    assert changed(agreed, command="", url="https://localhost").deciding == {}


def test_what_an_earlier_version_kept_of_them_decides_nothing(path: Path) -> None:
    secrets = Secrets({"tools/files": '{"KEY": "secret", "PATH": "/evil"}'})
    path.parent.mkdir()
    path.write_text('{"servers": [{"name": "files", "command": "npx", "values": {"KEY": "", "PATH": ""}}]}')
    settings = ToolSettings(path, secrets)
    with pytest.raises(ToolFailed, match="PATH"):
        settings.with_secrets(settings.servers[0].as_approved())


def test_a_command_is_looked_up_in_the_path_that_it_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("own", "evil"):
        (tmp_path / folder).mkdir()
        program = tmp_path / folder / "npx"
        program.touch(0o755)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "own"))
    monkeypatch.chdir(tmp_path)
    assert program_of("npx", {}) == str(tmp_path / "own/npx")
    assert program_of("npx", {"PATH": f"{tmp_path}/evil:/bin"}) == str(tmp_path / "evil/npx")
    # What is shown is what runs, in whichever folder.
    assert program_of("npx", {"PATH": "evil"}) == str(tmp_path / "evil/npx")
    assert program_of("none", {}) is None
    assert process_of(changed(FILES, values={"PATH": "evil"})).args[-1] == str(tmp_path / "evil/npx")


CHANGED = [
    replace(TOOL, description="Sends a file."), replace(TOOL, parameters={"type": "object", "required": ["x"]}),
    replace(TOOL, origin="2"), replace(TOOL, server="other"), replace(TOOL, name="write"), replace(TOOL, title="Look"),
    replace(TOOL, read_only=False),
]  # fmt: skip


def test_a_permission_holds_for_the_same_tool_only(path: Path) -> None:
    settings = ToolSettings(path, Secrets())
    assert settings.permission(TOOL) is Permission.ASK
    settings.permit(TOOL, Permission.ALWAYS)
    assert ToolSettings(path, Secrets()).permission(replace(TOOL, called="files_read")) is Permission.ALWAYS
    assert {settings.permission(one) for one in CHANGED} == {Permission.ASK}
    assert {settings.permission(one, {TOOL.fingerprint}) for one in CHANGED} == {Permission.ASK}
    settings.permit(TOOL, Permission.ASK)
    assert settings.permission(TOOL) is Permission.ASK
    assert settings.permission(TOOL, {TOOL.fingerprint}) is Permission.CHAT


def test_a_denied_tool_stays_denied_whatever_it_says_of_itself(path: Path) -> None:
    settings = ToolSettings(path, Secrets())
    settings.permit(TOOL, Permission.DENY)
    same = [one for one in CHANGED if (one.server, one.name) == ("files", "read")]
    assert {settings.permission(one, {one.fingerprint}) for one in [TOOL, *same]} == {Permission.DENY}


def test_a_tool_that_is_switched_off_and_on_has_the_permission_that_it_had(path: Path) -> None:
    settings = ToolSettings(path, Secrets())

    def switched(tool: Tool = TOOL) -> Permission:
        """The permission after a switch off and, in the next run of the app, on."""
        settings.switch(TOOL, False)
        later = ToolSettings(path, Secrets())
        assert later.permission(TOOL) is Permission.DENY
        later.switch(tool, True)
        return later.permission(tool)

    assert switched() is Permission.ASK
    settings.permit(TOOL, Permission.ALWAYS)
    # A switch that is on already changes nothing.
    settings.switch(TOOL, True)
    assert switched() is Permission.ALWAYS
    # What a person agreed to is exactly this tool.
    same = [one for one in CHANGED if (one.server, one.name) == ("files", "read")]
    for tool in same:
        settings.permit(TOOL, Permission.ALWAYS)
        assert switched(tool) is Permission.ASK
    # Who chose that it is off has revoked the permission.
    settings.permit(TOOL, Permission.ALWAYS)
    settings.permit(TOOL, Permission.DENY)
    assert switched() is Permission.ASK


def test_a_permission_for_a_site_holds_for_that_site_only(path: Path) -> None:
    settings = ToolSettings(path, Secrets())
    news, other = TOOL.for_site("https://news.test"), TOOL.for_site("https://other.test")
    settings.permit(news, Permission.ALWAYS)
    later = ToolSettings(path, Secrets())
    assert [later.permission(tool) for tool in (news, other, TOOL)] == [Permission.ALWAYS, *[Permission.ASK] * 2]
    assert later.permission(other, {news.fingerprint}) is Permission.ASK
    assert later.permission(other, {other.fingerprint}) is Permission.CHAT
    settings.permit(other, Permission.ALWAYS)
    assert settings.allowed_sites(TOOL) == [news, other]
    settings.permit(news, Permission.ASK)
    assert (settings.permission(news), settings.allowed_sites(TOOL)) == (Permission.ASK, [other])


def test_a_tool_that_is_off_is_off_for_all_sites(path: Path) -> None:
    settings = ToolSettings(path, Secrets())
    news = TOOL.for_site("https://news.test")
    settings.permit(news, Permission.ALWAYS)
    settings.switch(TOOL, False)
    assert settings.permission(news) is Permission.DENY
    assert settings.allowed_sites(TOOL) == []
    settings.switch(TOOL, True)
    assert settings.permission(news) is Permission.ALWAYS


def test_what_was_allowed_for_all_sites_is_asked_about_again(path: Path) -> None:
    """Versions that knew no sites kept the choice with the origin "web", also in chats."""
    pages, _ = web_tools("wikipedia")
    news = tool_of_call(pages, {"url": "https://news.test/a"})
    older = replace(pages, origin="web")
    settings = ToolSettings(path, Secrets())
    settings.permit(older, Permission.ALWAYS)
    assert settings.permission(news, {older.fingerprint}) is Permission.ASK
    assert settings.permission(pages) is Permission.ASK
    settings.permit(older, Permission.DENY)
    assert settings.permission(news) is Permission.DENY


def test_the_tools_of_tandem_need_no_permission_unless_they_leave_this_computer(path: Path) -> None:
    settings = ToolSettings(path, Secrets())
    assert settings.permission(replace(TOOL, server=TANDEM, origin="")) is Permission.ALWAYS
    assert settings.permission(replace(TOOL, server=TANDEM, origin="web")) is Permission.ASK


def test_the_choice_of_web_tools_is_kept_and_its_keys_are_secrets(path: Path) -> None:
    secrets = Secrets()
    settings = ToolSettings(path, secrets)
    assert settings.web == WebChoice()
    settings.set_web(WebChoice(on=True, service="brave"))
    settings.keep_search_key("brave", "hidden")
    again = ToolSettings(path, secrets)
    assert (again.web, again.search_key("brave")) == (WebChoice(on=True, service="brave"), "hidden")
    assert "hidden" not in path.read_text()
    assert "search/brave" in again.entries
    settings.set_web(WebChoice(on=True, service="of another version"))
    assert ToolSettings(path, secrets).web == WebChoice(on=True)
