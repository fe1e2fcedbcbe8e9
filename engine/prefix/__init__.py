"""Conversations that stay cached after an answer, in memory and on disk, so that the next one need not read them again.

`cache` holds them in memory within a budget, `store` on disk with `files` and `kept`; `text_index` and `known_turns`
find which stored text a prompt continues. Programs must not find out from speeds what chats contain: a request without
a name never shares a named conversation.
"""
