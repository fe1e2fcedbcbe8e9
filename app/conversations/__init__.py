"""Chats: the store on disk and its thread, search, titles, request history, export and import. No Qt in here.

Open a store with `opening.open_store`, or let a `StoreThread` own it.
"""
