"""How does a serving process live? Its HTTP server, its standard streams, readiness, drain and end."""
