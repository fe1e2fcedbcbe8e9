"""Starts the hostile server, a module of its own: Python compiles a module once, but a script at each start."""

from hostile_server import main

main()
