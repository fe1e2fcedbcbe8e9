"""The operating system and Qt, as far as they have nothing to do with chats or models: paths, language, crashes.

Also one process per user, work in the background, the trash and the shortcut that works everywhere. Nothing here
imports another package of the app.
"""
