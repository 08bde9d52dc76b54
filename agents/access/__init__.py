"""Who may see what: chats by scope rules, people by roles, programs by API keys."""
