"""Exports chats as files: lossless JSON, Markdown, and HTML that needs no other file."""
