"""What does this MCP method do? Reaches the outside only through the Protocols in `ports`."""
