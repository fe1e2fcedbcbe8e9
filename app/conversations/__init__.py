"""Chats: the store on disk and its thread, search, titles, request history, export and import. No Qt in here.

What can be done with chats, without a window, belongs here. How they are stored in SQLite is in `database`; what shows
them or asks a model about them is in other packages of the app.

The module `opening`, or the thread of `worker`, opens the store, one process at a time. A damaged file is set
aside, and its readable rows, or the newest backup, go into a new one; indexes that are at odds with a table are mended
in place. If it cannot be opened at all, the window works on a `temporary_store`, whose chats are added later.

Deleting a chat for good deletes its prefixes, its pictures and its part of the index of answers.
"""
