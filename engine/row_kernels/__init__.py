"""Metal kernels for products and attention of a few rows, which round each row like MLX's kernels for one row.

MLX has kernels for one row, and others for several, which read the weights or keys again for each row or sum in another
order. The kernels here read them once. tests/engine/row_kernels compiles them and MLX's for one row, and compares bits.

`product` and `attention` are the kernels; `layers` and `attention_probe` put them into models and say what to compare;
`row_kernel` is what both have in common; `choice` times them on this machine and says which sizes of passes use them.
In comments and names, "ours" are these kernels, in contrast to MLX's. Kernels that compute something else than MLX's
do not belong here.
"""
