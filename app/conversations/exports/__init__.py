"""Chats as files: JSON that loses nothing, Markdown to read anywhere, HTML that stands alone."""
