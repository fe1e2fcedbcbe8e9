"""Teaching a draft model or a head: distilling the main model's own answers into an adapter."""
