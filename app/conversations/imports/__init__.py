"""Imports chats from Tandem's JSON and from other apps' exports. Importing a file again changes nothing.

A reader of each app's format (`ChatReader`), what all readers return (`imported`), and adding that to the store
(`adding`) belong here. Readers never write: `reading` finds the reader of a file, and adds what it returns.
"""
