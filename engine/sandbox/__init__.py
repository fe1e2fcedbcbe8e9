"""Processes with limits of time and memory, for work on what comes from strangers. The tasks are declared elsewhere."""
