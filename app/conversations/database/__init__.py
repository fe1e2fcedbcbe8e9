"""The file of chats: its connection, schema, records and their encoding, errors, and the repair of a damaged file.

Code that knows SQLite, the format of the file or how a value is stored in it belongs here. The operations of a person
(create, search, delete, export) do not: they are in app/conversations and import this package, which
imports none of them.

* `database`: one open file, used by one thread, and its transactions, which report their changes
* `schema`: the versions of the format and the migrations between them
* `records`: the records that the operations take and return; `encoding`: how parts of them are stored in columns
* `search_tokens`: how a text is split into the words of the search index
* `store_files`: the files next to the database file: names, copies, locks
* `errors`: the errors of the store, and which error of SQLite means what
* `recovery`: saves the readable rows of a damaged file, mends indexes in place; `page_rows` reads a file page by page
"""
