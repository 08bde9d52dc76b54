"""MCP at /mcp: the memory as tools and resources, through the same gates as the API."""
