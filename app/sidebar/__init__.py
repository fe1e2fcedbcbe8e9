"""The left pane: the list of chats and folders, and the search in all chats.

list_model.py has the rows, row_painter.py paints them, row_menu.py is their menu, pane.py joins them. Nothing in here
changes the store by itself but through the session's services.
"""
