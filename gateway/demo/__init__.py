"""The embedded shop: a gRPC backend to try the gateway on. It knows nothing of the gateway in front of it."""
