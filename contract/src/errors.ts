/** Every failure the API can answer on purpose: code → status and public message. */
export const errorCatalogue = {
  ERR_INVALID_VALUE: { status: 400, message: "invalid value" },
  ERR_INVALID_VALUE_LENGTH: { status: 400, message: "invalid length" },
  ERR_INVALID_JSON: { status: 400, message: "the body is not valid JSON" },
  ERR_DUPLICATE_VALUE: { status: 400, message: "value already exists" },
  ERR_INVALID_REFERENCE: { status: 400, message: "the referenced resource does not exist" },
  ERR_HAS_DEPENDENTS: { status: 400, message: "operation denied due to dependent resources" },
  ERR_LIMIT_EXCEEDED: { status: 400, message: "limit exceeded" },

  ERR_INVALID_IPV4_CIDR: { status: 400, message: "must be an IPv4 network in CIDR form" },
  ERR_INVALID_CIDR_MASK_SIZE: { status: 400, message: "the mask size must be between 8 and 30" },
  ERR_NETWORK_ALREADY_HAS_IPV4_CIDR: { status: 400, message: "the network already has an IPv4 CIDR" },
  ERR_NETWORK_FULLY_ALLOCATED: { status: 400, message: "the network has no free address" },
  ERR_CERT_VERSION_2_INCOMPATIBLE: {
    status: 400,
    message: "this call cannot be used on a network with version 2 certificates",
  },
  ERR_HOST_BLOCKED: { status: 400, message: "the host is blocked" },
  ERR_HOST_NOT_ENROLLED: { status: 400, message: "the host has never enrolled" },
  ERR_HOST_SIGN_IN_EXPIRED: { status: 400, message: "the device's person has to sign in again" },
  ERR_HOST_OFFLINE: { status: 400, message: "the host did not answer" },

  ERR_RULES_WIDER: { status: 400, message: "the router's Nebula would open more than the rules say" },

  ERR_INVALID_EMAIL: { status: 400, message: "must be an e-mail address" },
  ERR_INVALID_SETUP_CODE: { status: 400, message: "the setup code is missing or not valid" },
  ERR_INVALID_MAGIC_LINK_TOKEN: { status: 400, message: "the link is invalid, expired or already used" },
  ERR_INVITATION_PENDING: {
    status: 400,
    message: "this address has an open invitation: accept or decline it first",
  },
  ERR_ALREADY_MEMBER: {
    status: 400,
    message: "this address already belongs to an organization: leave it first",
  },
  ERR_INVALID_TOTP_CODE: { status: 400, message: "the code is not valid" },
  ERR_INVALID_TOTP_TOKEN: { status: 400, message: "the setup token is invalid or expired" },
  ERR_2FA_ENROLLMENT_REQUIRED: { status: 400, message: "an authenticator has to be set up first" },

  ERR_INVALID_OIDC_REQUEST_TOKEN: { status: 400, message: "the sign-on request is invalid or expired" },
  ERR_OIDC_NOT_CONFIGURED: { status: 400, message: "single sign-on is not configured" },
  ERR_OIDC_PROVIDER_MISMATCH: { status: 400, message: "the identity provider changed" },
  ERR_OIDC_EXCHANGE_CODE: { status: 400, message: "the identity provider refused the exchange" },
  ERR_OIDC_MISSING_CLAIMS: { status: 400, message: "the identity provider left out required claims" },
  ERR_OIDC_NOT_ALLOWED: { status: 400, message: "this account may not sign in here" },
  ERR_OIDC_PROVIDER_INACCESSIBLE: { status: 400, message: "the identity provider does not answer" },

  ERR_DOMAIN_RECORD_NOT_FOUND: { status: 400, message: "the DNS record was not found" },
  ERR_DNS_LOOKUP_FAILED: { status: 400, message: "the DNS lookup failed" },
  ERR_DOMAIN_TAKEN: { status: 400, message: "another organization has verified this domain" },

  ERR_BILLING_INVALID_STATE: { status: 400, message: "not possible on the current plan" },

  ERR_UNAUTHORIZED: { status: 401, message: "not signed in" },
  ERR_2FA_REQUIRED: { status: 401, message: "the second factor is required" },
  ERR_2FA_RENEWAL_REQUIRED: { status: 401, message: "the second factor has to be given again" },
  ERR_FORBIDDEN: { status: 403, message: "not allowed" },
  ERR_NOT_FOUND: { status: 404, message: "not found" },
  ERR_METHOD_NOT_ALLOWED: { status: 405, message: "method not allowed" },
  ERR_TIMEOUT: { status: 408, message: "the request took too long" },
  ERR_PAYLOAD_TOO_LARGE: { status: 413, message: "the body is too large" },
  ERR_TOO_MANY_REQUESTS: { status: 429, message: "too many requests" },
  ERR_INTERNAL_SERVER_ERROR: { status: 500, message: "internal server error" },
  ERR_UNAVAILABLE: { status: 503, message: "temporarily unavailable" },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Something that stands in the way of a deletion. */
export interface Dependent {
  type: "host" | "lighthouse" | "relay" | "role" | "tag" | "route" | "network";
  /** Of a tag: its name. */
  id: string;
  name: string;
  /** Where the thing is in a network. */
  networkID?: string;
}

/** A rule that a router with an old Nebula would take for more than it says. */
export interface RuleTakenWider {
  source: { kind: "role" } | { kind: "tag"; name: string } | { kind: "route"; id: string };
  /** Which of the source's rules. */
  index: number;
  opens: "routedNetworks" | "routerAndAllRoutedNetworks";
}

export interface ErrorEntry {
  code: string;
  message: string;
  path?: string | null;
  extra?: {
    limit?: number;
    missingClaims?: string[];
    /** Of ERR_HAS_DEPENDENTS: the first of them, and how many there are in all. */
    dependents?: Dependent[];
    total?: number;
    /** Of ERR_RULES_WIDER: what the router runs, and which rules it would widen. */
    nebulaVersion?: string;
    rules?: RuleTakenWider[];
  };
}

export interface ErrorBody {
  errors: ErrorEntry[];
}
