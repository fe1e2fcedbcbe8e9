"""The two ways to decode a generation: alone, or in a batch. A generation may move between them mid-answer."""
