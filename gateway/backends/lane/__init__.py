"""The quick way to call a unary RPC: a plain HTTP/2 client on the event loop, for calls that are as calls mostly are.

It takes a call only where everything about it is ordinary and a connection stands; whatever else there is to calling
(TLS, proxies, resolving, connecting, large requests, retries) is grpc.aio's, to which `unary_calls` hands everything
that is not taken here. Both ways mean the same: a call that fails here fails with what grpc.aio would have raised.
Source: RFC 9113 (HTTP/2), RFC 7541 (HPACK), gRPC's "gRPC over HTTP2" and "HTTP2 error codes".
"""
