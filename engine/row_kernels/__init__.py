"""Metal kernels for products and attention of a few rows, which round each row like MLX's kernels for one row.

MLX has kernels for one row, and others for several, which read the weights or keys again for each row or sum in another
order. The kernels here read them once. tests/engine/row_kernels compiles them and MLX's for one row, and compares bits.
"""
