"""Chats on disk: the store and the thread it lives on, search, titles, request history, export and import.

Nothing here knows of Qt or of models. Open a store with `opening.open_store`, or let a `StoreThread` own one.
"""
