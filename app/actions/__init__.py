"""Declares actions (spec.py), and makes menus and shortcuts of them (actions.py).

The actions themselves are tables in app/window/actions; this room knows none of them.
"""
