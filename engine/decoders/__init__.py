"""Two ways of decoding a generation: alone with speculation, or in a batch. It may move between them mid-answer."""
