"""What may be said: every envelope, code and refusal that leaves the gateway is built here. Pure."""
