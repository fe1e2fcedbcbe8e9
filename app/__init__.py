"""The app: what a person sees and what programs ask over HTTP and in a terminal. Engine errors are worded here.

Anything that computes with a model belongs in `engine`, which never imports this package.
"""
