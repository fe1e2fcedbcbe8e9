"""An index of the tokens of earlier answers, kept on disk, in which lookup across chats searches."""
