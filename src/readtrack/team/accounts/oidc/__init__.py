"""Sign-in by an OpenID provider: what it publishes, what it is asked, what it answers. Knows no door and no table.

`discovery` reads the provider's own description and keys, `flow` asks it, `tokens` believes an answer or not.
"""

from readtrack.team.accounts.oidc.discovery import Provider
from readtrack.team.accounts.oidc.flow import AuthorizationRequest, build_authorization_request, fetch_claims
from readtrack.team.accounts.oidc.tokens import Claims

__all__ = ["AuthorizationRequest", "Claims", "Provider", "build_authorization_request", "fetch_claims"]
