"""The shop's gRPC services, one a module: each checks what it was asked, does it in the shop, and says why it can't."""
