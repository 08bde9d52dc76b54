"""Who may do what, and who did: keys, people, the audit log. For owners."""
