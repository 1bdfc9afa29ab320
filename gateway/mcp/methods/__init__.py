"""One module per MCP method."""
