"""HTTP, WebSocket and server-sent events over `rpc`; the only place with status codes."""
