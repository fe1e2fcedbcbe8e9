"""What macOS tells this process about the machine, what the process asks of macOS, and where programs are.

Imports no MLX.
"""
