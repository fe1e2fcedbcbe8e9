"""Small sessions of Claude Code and Codex, with everything that their files have."""

from __future__ import annotations

from typing import Any

# The lines of Claude Code are those in the tests of daaain/claude-code-log, shortened.


def claude_code_line(kind: str, uid: str, parent: str | None, content: Any = None, **more: Any) -> dict[str, Any]:
    line = {
        "type": kind, "uuid": uid, "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/tmp",
        "sessionId": "s-1", "version": "2.1.207", "timestamp": "2026-07-01T10:00:00.000Z", **more
    }  # fmt: skip
    if content is not None:
        of_model = {"id": f"msg_{uid}", "type": "message", "model": "claude-opus-4", "usage": {}}
        about = of_model if kind == "assistant" else {}
        line["message"] = {"role": kind, "content": content, **about, **line.pop("about", {})}
    return line


CLAUDE_CODE = [
    {"type": "summary", "summary": "Of another session", "leafUuid": "elsewhere"},
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}, "isSnapshotUpdate": False},
    {"type": "queue-operation", "operation": "enqueue", "content": "start", "sessionId": "s-1"},
    claude_code_line("user", "m1", None, "Caveat: the messages below", isMeta=True),
    claude_code_line("user", "u1", "m1", "<command-message>review</command-message>\n<command-name>/review"
        "</command-name>\n<command-args>the pump,\n  all of it</command-args>"),
    claude_code_line("progress", "p1", "u1", data={"type": "hook_progress"}),
    claude_code_line("assistant", "a1", "p1", [{"type": "thinking", "thinking": "Hm.", "signature": "x"}]),
    claude_code_line("assistant", "a2", "a1", [{"type": "text", "text": "Let me look."}]),
    claude_code_line("assistant", "a3", "a2", [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]),
    claude_code_line("assistant", "a4", "a3", [{"type": "tool_use", "id": "t2", "name": "Task", "input": {}}]),
    claude_code_line("user", "r1", "a3", [{"type": "tool_result", "tool_use_id": "t1", "content": "x = 1"}]),
    claude_code_line("user", "s1", None, "Look for pumps.", isSidechain=True),
    claude_code_line("assistant", "s2", "s1", [{"type": "text", "text": "Found."}], isSidechain=True),
    claude_code_line("user", "r2", "a4", [{"type": "tool_result", "tool_use_id": "t2", "content": "Found."}]),
    claude_code_line("assistant", "a5", "r2", [{"type": "thinking", "thinking": "", "signature": "y"}]),
    claude_code_line("assistant", "a6", "a5", [{"type": "text", "text": "It is one."}]),
    claude_code_line("assistant", "a6", "a5", [{"type": "text", "text": "It is one."}]),
    claude_code_line("user", "u2", "a6", [
        {"type": "text", "text": "<ide_opened_file>The user opened a.py</ide_opened_file>"},
        {"type": "text", "text": "And <b>why</b>?\n<system-reminder>Be brief.</system-reminder>"}]),
    claude_code_line("assistant", "a7", "u2", [{"type": "text", "text": "Old."}]),
    claude_code_line("user", "i1", "a7", [{"type": "text", "text": "[Request interrupted by user]"}]),
    # The person went back and asked again; then the session was compacted.
    claude_code_line("user", "u3", "a6", "And how?"),
    claude_code_line("attachment", "q1", "u3", attachment={"type": "queued_command", "prompt": "briefly",
        "commandMode": "prompt"}),
    claude_code_line("assistant", "a8", "q1", [{"type": "text", "text": "So."}]),
    claude_code_line("system", "c1", None, logicalParentUuid="a8", subtype="compact_boundary", content="Compacted"),
    claude_code_line("user", "c2", "c1", "This session is being continued", isCompactSummary=True),
    claude_code_line("user", "o1", "c2", "<local-command-stdout>Compacted</local-command-stdout>"),
    claude_code_line("user", "u4", "o1", "<bash-input>ls</bash-input>"),
    claude_code_line("user", "o2", "u4", "<bash-stdout>a.py</bash-stdout><bash-stderr></bash-stderr>"),
    claude_code_line("assistant", "e1", "o2", [{"type": "text", "text": "API Error: 500"}],
        about={"model": "<synthetic>"}, isApiErrorMessage=True),
    {"type": "ai-title", "aiTitle": "First title", "sessionId": "s-1"},
    {"type": "ai-title", "aiTitle": "Pump", "sessionId": "s-1"},
    {"type": "last-prompt", "lastPrompt": "ls", "sessionId": "s-1"},
]  # fmt: skip


# The lines of Codex are those of RolloutLine and ResponseItem in its source.


def codex_line(kind: str, of: str = "", second: int = 0, **payload: Any) -> dict[str, Any]:
    when = f"2026-01-02T03:04:{second:02}.000Z"
    return {"timestamp": when, "type": kind, "payload": ({"type": of} if of else {}) | payload}


def codex_said(role: str, text: str, second: int = 0) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex_line("response_item", "message", second, role=role, content=[{"type": kind, "text": text}])


CODEX = [
    codex_line("session_meta", id="x-1", timestamp="2026-01-02T03:04:00.000Z", cwd="/tmp", originator="codex_cli_rs",
        cli_version="0.171.0", source="cli", base_instructions={"text": "You are Codex."}),
    codex_said("developer", "<permissions instructions>\nRead only.\n</permissions instructions>"),
    codex_said("user", "# AGENTS.md instructions for /tmp\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>"),
    codex_said("user", "<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>"),
    codex_line("turn_context", model="gpt-5.6", cwd="/tmp", approval_policy="never"),
    codex_line("event_msg", "user_message", 1, message="List the files.", images=[]),
    codex_said("user",
        "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nList the files.", 1),
    codex_line("response_item", "reasoning", 2, summary=[{"type": "summary_text", "text": "**Looking**"}],
        encrypted_content="x"),
    codex_line("event_msg", "agent_reasoning", 2, text="**Looking**"),
    codex_line("response_item", "function_call", 3, name="exec_command", arguments="{}", call_id="c1"),
    codex_line("response_item", "function_call_output", 4, call_id="c1", output="a.py"),
    codex_line("response_item", "custom_tool_call", 5, name="apply_patch", input="*** Begin Patch", call_id="c2"),
    codex_line("response_item", "web_search_call", 6, status="completed", action={"type": "search"}),
    codex_line("response_item", "reasoning", 7, summary=[], encrypted_content="y"),
    codex_line("event_msg", "agent_message", 8, message="There is a.py."),
    codex_said("assistant", "There is a.py.", 8),
    codex_line("event_msg", "token_count", 8, info=None),
    codex_line("event_msg", "user_message", 9, message="And why?"),
    codex_said("user", "And why?", 9),
    codex_said("assistant", "Old.", 10),
    codex_line("event_msg", "thread_rolled_back", 11, num_turns=1),
    codex_line("event_msg", "user_message", 12, message="And how?"),
    codex_line("response_item", "message", 12, role="user", content=[
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": "file:///lost.png"}, {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "<image> is a tag. And how?"}]),
    codex_line("turn_context", model="gpt-5.6-mini", cwd="/tmp"),
    codex_said("assistant", "So.", 13),
    codex_line("compacted", second=14, message="Summary.", replacement_history=[]),
    codex_line("response_item", "agent_message", 15, author="a", recipient="b", content=[]),
    codex_line("world_state", second=15, state={}),
    codex_line("event_msg", "thread_name_updated", 16, thread_id="x-1", thread_name="Files"),
]  # fmt: skip

# Until September 2025, and the first version.
CODEX_BARE = [
    {"id": "x-2", "timestamp": "2025-08-18T01:16:13.522Z", "instructions": None, "git": {"branch": "main"}},
    {"record_type": "state"},
    {"type": "message", "id": None, "role": "user", "content": [
        {"type": "input_text", "text": "<environment_context>\n</environment_context>"}]},
    {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
    {"record_type": "state"},
    {"type": "reasoning", "id": "r", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]},
    {"type": "function_call", "id": "f", "name": "shell", "arguments": "{}", "call_id": "c"},
    {"type": "function_call_output", "call_id": "c", "output": "{}"},
    {"type": "message", "id": None, "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
]  # fmt: skip
CODEX_FIRST = {
    "session": {"timestamp": "2025-04-20T10:00:00.000Z", "id": "x-3", "instructions": ""},
    "items": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        {"id": "m", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
    ],
}
