"""Chats: what was said, page by page, with what the agent was given; search in it, export and deletion."""
