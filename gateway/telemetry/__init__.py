"""What is reported, and under which names."""
