"""Metal kernels for products and attention of a few rows, which round each row like MLX's kernels for one row."""
