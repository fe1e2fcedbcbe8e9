"""Exports chats as files: lossless JSON, Markdown, and HTML that needs no other file.

The formats, and writing them whole or not at all, belong here. Words of the user interface do not: they come as
`labels.Labels`.
"""
