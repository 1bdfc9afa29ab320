"""How does the call of one tool go? Unary RPCs, streams, and what is told of those that failed."""
