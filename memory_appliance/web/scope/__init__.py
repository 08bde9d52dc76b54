"""The page of an agent's scope rules: edit them in order, and ask whether a chat would see the memory."""
