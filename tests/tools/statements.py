"""Print each room of app, engine and the Starter with its statements, and with the lines of its docstrings and TOML.

Run `python -m tests.tools.statements`.
"""

from __future__ import annotations

from collections import Counter

from tests.source_files import ROOT, count_statements, documented_in, modules_of, parse


def main() -> None:
    statements = Counter[str]()
    docstring_lines = Counter[str]()
    for path in modules_of("app", "engine", "resources"):
        nodes = parse(path).nodes
        room = "/".join(path.relative_to(ROOT).parts[:2])
        statements[room] += count_statements(nodes)
        docstring_lines[room] += sum(docstring.count("\n") + 1 for _, docstring in documented_in(nodes))
    for room, count in statements.most_common():
        print(f"{room:<32}{count:>7} statements{docstring_lines[room]:>7} lines of docstrings")
    print(f"{'all':<32}{statements.total():>7} statements{docstring_lines.total():>7} lines of docstrings")
    texts = [path.read_bytes() for path in (ROOT / "resources" / "starter").rglob("*.toml")]
    lines = sum(text.count(b"\n") for text in texts)
    print(f"{'resources/starter':<32}{lines:>7} lines of TOML, {sum(map(len, texts)):,} bytes in {len(texts)} files")


if __name__ == "__main__":
    main()
