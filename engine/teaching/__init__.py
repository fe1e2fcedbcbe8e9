"""Teaching a draft model: distilling the main model's own answers into an adapter beside the downloaded files."""
