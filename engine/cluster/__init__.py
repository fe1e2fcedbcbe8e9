"""One main model on several machines, with MLX's distributed engine: plan, checks, ranks, and the client of rank 0."""
