/** What has to be known when the identity provider sends the person back. */
const OIDC_REQUEST = "oidcRequest";

export interface OidcRequest {
  oidcRequestToken: string;
  organizationID: string;
  /** Where the person wanted to be. */
  from: string;
}

export function rememberOidcRequest(request: OidcRequest): void {
  sessionStorage.setItem(OIDC_REQUEST, JSON.stringify(request));
}
