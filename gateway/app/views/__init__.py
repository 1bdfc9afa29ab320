"""What different clients see of one catalogue: in the form of a model provider, or as a few tools to search it with."""
