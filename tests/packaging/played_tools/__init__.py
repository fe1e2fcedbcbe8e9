"""Stand-ins for what a release runs on GitHub's Macs: `tools.py` is each program, by the name that it is called by."""
