"""What the operator decides about an RPC's values: fields that callers have no say in, and what is left of replies."""
