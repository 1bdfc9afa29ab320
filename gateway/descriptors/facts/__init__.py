"""What a backend's annotations and the operator say about an RPC beyond its types."""
