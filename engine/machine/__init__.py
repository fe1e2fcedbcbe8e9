"""What macOS tells this process about the machine, what the process asks of macOS, and where programs are.

Power, heat, the local network, and the request to stay awake; and the published costs of rows by chip.

Imports no MLX.
"""
