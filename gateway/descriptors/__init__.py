"""What does a backend offer? Private pools, comments, options, names, JSON Schema. Pure."""
