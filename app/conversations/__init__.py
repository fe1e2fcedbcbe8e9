"""Chats: the store on disk and its thread, search, titles, request history, export, import, and the list's pane.

Only the pane knows of Qt, and nothing of models. Open a store with `opening.open_store`, or let a `StoreThread` own it.
"""
