"""Choosing, downloading and removing models: the Models page, the picker in the header, and the first run.

The package app/library knows which models there are and what they are good for, app/session loads them; the widgets in
here show both and pass on the choices of a person.
"""
