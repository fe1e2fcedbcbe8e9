"""Tools that models call: the servers that offer them by the Model Context Protocol, and the person's permissions.

`ToolHost` runs the servers on a thread of its own; `ToolSettings` keeps them and what the person allowed. What a server
says is a stranger's: it is bounded, checked and mended here before anything else sees it. No Qt, and no sentence for
people: `ToolFailed` has codes, for which `app.wording.tools` has the words.
"""
