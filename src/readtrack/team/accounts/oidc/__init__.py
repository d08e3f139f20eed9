"""Sign-in with an OpenID provider, independent of HTTP routes and tables.

`discovery` fetches the provider's metadata and keys, `flow` the authorization and the claims, `tokens` verifies ID
tokens.
"""

from readtrack.team.accounts.oidc.discovery import Provider
from readtrack.team.accounts.oidc.flow import AuthorizationRequest, build_authorization_request, fetch_claims
from readtrack.team.accounts.oidc.tokens import Claims

__all__ = ["AuthorizationRequest", "Claims", "Provider", "build_authorization_request", "fetch_claims"]
