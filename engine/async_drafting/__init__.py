"""A drafter beside the engine, in a process, that drafts while the main model verifies."""
