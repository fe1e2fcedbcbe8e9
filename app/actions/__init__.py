"""What an action is (`spec`), and the menus and shortcuts that are made from actions (`actions`).

The actions themselves are tables in `app.window.actions`; this room knows none of them.
"""
