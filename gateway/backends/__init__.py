"""How is an RPC called and its descriptors fetched? The one room of the product's core that imports grpc."""
