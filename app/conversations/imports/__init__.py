"""Imports chats from Tandem's JSON and from other apps' exports. Importing a file again changes nothing.

The modules are a reader of each app's format, `imported` with the records that all readers return, and `adding`, which
adds them to the store. Readers never write: the module `reading` finds the reader of a file, and adds its chats.
"""
