/** What has to be known when the identity provider sends the person back. */
const OIDC_REQUEST = "oidcRequest";

export interface OidcRequest {
  oidcRequestToken: string;
  /** Of the console's sign-in; a device's finds its own. */
  organizationID: string;
  /** Where the person wanted to be. */
  from: string;
  /** Signs in for a device, not for the console. */
  isForDevice?: true;
}

export function rememberOidcRequest(request: OidcRequest): void {
  sessionStorage.setItem(OIDC_REQUEST, JSON.stringify(request));
}

export function rememberedOidcRequest(): OidcRequest | undefined {
  const text = sessionStorage.getItem(OIDC_REQUEST);
  return text === null ? undefined : (JSON.parse(text) as OidcRequest);
}

/** It works once. */
export function forgetOidcRequest(): void {
  sessionStorage.removeItem(OIDC_REQUEST);
}
