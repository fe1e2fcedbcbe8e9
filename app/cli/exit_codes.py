"""The exit codes of the `tandem` command; argparse ends with BAD_USAGE too."""

from __future__ import annotations

DONE, FAILED, BAD_USAGE = 0, 1, 2
# 128 + SIGINT, as shells report it.
INTERRUPTED = 130
# 128 + SIGPIPE: nobody reads the output any more, as after `| head`.
UNREAD = 141
