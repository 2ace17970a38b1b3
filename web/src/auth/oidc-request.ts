/** A single sign-on in progress, kept until the identity provider redirects back. */
const OIDC_REQUEST = "oidcRequest";

export interface OidcRequest {
  oidcRequestToken: string;
  /** Empty for a device, whose organization the server knows. */
  organizationID: string;
  /** The page to open afterwards. */
  from: string;
  /** The sign-in is for a device, not for the console. */
  isForDevice?: true;
}

export function rememberOidcRequest(request: OidcRequest): void {
  sessionStorage.setItem(OIDC_REQUEST, JSON.stringify(request));
}

export function rememberedOidcRequest(): OidcRequest | undefined {
  const text = sessionStorage.getItem(OIDC_REQUEST);
  return text === null ? undefined : (JSON.parse(text) as OidcRequest);
}

/** A request token works once. */
export function clearOidcRequest(): void {
  sessionStorage.removeItem(OIDC_REQUEST);
}
