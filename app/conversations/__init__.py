"""Chats: the store on disk and its thread, search, titles, request history, export and import. No Qt in here.

Open a store with `opening.open_store`, or let a `StoreThread` own it. Opening checks the store. A damaged file is set
aside; its readable rows, or else the newest backup, go into a new file, which gets its name last. Indexes and
references at odds with a table are mended in place: when they stop an operation, which is then repeated, or when the
check of a daily backup finds them; the next start recovers what cannot be mended so. A migration makes a backup
first. If the store cannot be opened at all, the window works on a `temporary_store`; its chats are added once the
store opens, or offered by the next start. One process has the store open. A temporary chat is in a store in memory
(`open_in_memory`).

Deleting a chat or folder for good deletes its prefixes, pictures and part of the index of answers, into which answers
of stored chats enter, never a program's.
"""
