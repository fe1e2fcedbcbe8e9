"""What the app needs of the operating system and of Qt, before anything of chats or models: paths, language, crashes.

Also one process per user, work in the background, the trash and the shortcut that works everywhere. Nothing here
imports another package of the app.
"""
