"""The left pane: the list of chats and folders, and the search in all chats.

`list_model` has the rows, `row_painter` paints them, `row_menu` is their menu, `pane` joins them. Nothing in here
changes the store by itself but through the session's services.
"""
