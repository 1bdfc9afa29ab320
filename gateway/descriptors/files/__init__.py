"""What stands in descriptor files, read and mended without a pool: symbols, versions, order, option bytes."""
