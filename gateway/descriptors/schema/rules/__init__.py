"""What is known of a field beyond its type, each kind of knowledge as one source of facts."""
