"""The chat proxy: OpenAI's chat completions in front of the owner's model, with memory before and after each turn.

A process of its own, started where MEMORY_CHAT_PROXY_UPSTREAM_URL is set. It holds no Django and no index: memory is
asked over the API, with the caller's own key, so that keys, rights, scope rules and the audit log count as elsewhere.
"""
