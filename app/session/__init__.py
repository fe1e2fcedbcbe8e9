"""The services behind the window: the engine, the store, the chats in memory, answers in progress, and the rest.

`session.Session` makes the services and says in which order they end; a view calls their methods and listens to their
signals. What lives as long as the window, and is about chats, answers and models, belongs here. Widgets, and sentences
for a person, never do.

All services live on the Qt thread and never wait: what takes time runs on the store's thread, the engine's thread or a
background thread, and its result arrives as a callback or a signal. `bridge` is the only way from the engine's thread,
`store_client` the only way to the store's.

* `streaming_answer`: one answer, from its question on disk to its end on disk; `answer` is what the views paint of it
* `chats`: chats and turns in memory; `chat_service` owns them, `stored_chats` writes them, `list_service` has the list
* `chat_requests`: what the engine is asked for a turn
"""
