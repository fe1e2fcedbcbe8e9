"""Imports chats from Tandem's JSON and from other apps' exports. Importing a file again changes nothing."""
