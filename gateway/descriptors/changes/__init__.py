"""What has changed between two surfaces of tools, and whether it breaks callers."""
