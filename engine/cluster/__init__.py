"""One main model over several machines, on MLX's distributed engine: plan, checks, ranks, and the client of rank 0."""
