"""The messages of proto/gateway/v1 on their way between a backend and the protocol."""
