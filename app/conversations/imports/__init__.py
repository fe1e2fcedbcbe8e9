"""Chats from files: our own JSON and that of other apps. Importing a file twice changes nothing the second
time.
"""
