"""The app: the window, the terminal, and the API for programs over HTTP. Engine errors are worded here.

Anything that computes with a model belongs in the package engine, which never imports this one.
"""
