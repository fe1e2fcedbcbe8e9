"""A drafter beside the engine, in a process or on another computer, that drafts while the main model verifies."""
