"""GGUF files: reading them under bounds, and turning them into folders that MLX loads."""
