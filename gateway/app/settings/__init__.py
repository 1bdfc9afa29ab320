"""What did the operator configure? `propylon.yaml`, checked as a whole, as frozen values."""
