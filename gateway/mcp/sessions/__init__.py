"""The handshake era: what `initialize` settles, and the way back to a client."""
