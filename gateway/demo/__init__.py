"""The embedded shop: a gRPC backend to try the gateway on."""
