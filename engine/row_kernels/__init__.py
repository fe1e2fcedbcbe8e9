"""Metal kernels for quantised products over a few rows, which round each row like MLX's kernel for one row."""
