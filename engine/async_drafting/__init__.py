"""Drafting while the main model verifies: a drafter beside the engine, in a process or on another computer."""
