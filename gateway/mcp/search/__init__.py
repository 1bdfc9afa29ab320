"""Finding tools among many: three tools stand for all of them, and a model looks up the one that it needs."""
