"""MLX on a CPU: the choice of device and BLAS, and products and log-probabilities that are faster there.

Only what differs between CPU and GPU belongs here: other packages ask `backend()` and know no device.
"""
