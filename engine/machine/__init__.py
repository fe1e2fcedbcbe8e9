"""What macOS tells this process about the machine, and what the process asks of macOS. Imports no MLX."""
