"""The floor on the way in: what uvicorn takes for a request that nobody looks at."""


async def app(scope, receive, send):
    body = (await receive())["body"]
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
