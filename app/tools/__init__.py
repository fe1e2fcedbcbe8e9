"""Tools that models call: the servers that offer them by the Model Context Protocol, and the person's permissions.

host.py runs the servers on a thread of its own; servers.py stores them and the person's permissions. What a server
says is a stranger's: it is bounded, checked and mended here before anything else sees it. No Qt, and no sentence for
people: tool.py has an error with codes, for which app/wording/tools.py has the words.
"""
