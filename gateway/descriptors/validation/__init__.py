"""The validation rules (protovalidate) that a backend's options carry: read, and run."""
