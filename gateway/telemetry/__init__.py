"""What is reported, and under which names: every logger of the gateway is a child of `propylon`."""
