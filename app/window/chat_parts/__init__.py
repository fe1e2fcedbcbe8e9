"""The parts of the window that belong to one chat: its search, commands, attached files, printing and notices.

The main window and the windows of single chats (`chat_windows`) use them. Nothing in here imports the windows.
"""
