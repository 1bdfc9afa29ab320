"""Who is told when what is served changes."""
