"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example(
        "uhp.token.create",
        {"scopes": ["read", "workspace"], "ttl_s": 3600},
        {
            "type": "uhp_token",
            "id": "token_00000000000000000000000000000000",
            "token": "luv_tok_00000000000000000000000000000000",
            "scopes": ["read", "workspace"],
            "expires_at": 1788393600,
        },
    ),
    Example(
        "uhp.token.list",
        {},
        {
            "type": "uhp_tokens",
            "tokens": [
                {
                    "id": "token_00000000000000000000000000000000",
                    "scopes": ["read", "workspace"],
                    "expires_at": 1788393600,
                }
            ],
            "capacity": 64,
        },
    ),
    Example(
        "uhp.token.revoke",
        {"id": "token_unknown"},
        {"type": "uhp_token_revoked", "id": "token_unknown", "revoked": False},
    ),
)
