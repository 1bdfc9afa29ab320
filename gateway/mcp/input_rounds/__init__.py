"""How a call that cannot go on without an answer gets one, in as many rounds as it takes (MCP 2026-07-28, MRTR)."""
