/** Every error code of the API with its status and its default message. */
export const errorCatalog = {
  ERR_INVALID_VALUE: { status: 400, message: "invalid value" },
  ERR_INVALID_VALUE_LENGTH: { status: 400, message: "invalid length" },
  ERR_INVALID_JSON: { status: 400, message: "the request body isn't valid JSON" },
  ERR_DUPLICATE_VALUE: { status: 400, message: "value already exists" },
  ERR_INVALID_REFERENCE: { status: 400, message: "the referenced object doesn't exist" },
  ERR_HAS_DEPENDENTS: { status: 400, message: "operation denied due to dependent resources" },
  ERR_LIMIT_EXCEEDED: { status: 400, message: "limit exceeded" },

  ERR_INVALID_IPV4_CIDR: {
    status: 400,
    message: "must be an IPv4 network in CIDR form, such as 100.100.0.0/22",
  },
  ERR_INVALID_CIDR_MASK_SIZE: { status: 400, message: "the mask size must be between 8 and 30" },
  ERR_NETWORK_ALREADY_HAS_IPV4_CIDR: { status: 400, message: "the network already has an IPv4 CIDR" },
  ERR_NETWORK_FULLY_ALLOCATED: { status: 400, message: "the network has no free address" },
  ERR_CERT_VERSION_2_INCOMPATIBLE: {
    status: 400,
    message: "the network has version 2 certificates; use a newer version of this endpoint",
  },
  ERR_NEBULA_TOO_OLD: {
    status: 400,
    message: "the network needs a newer version of Nebula than the host has",
  },
  ERR_HOST_BLOCKED: { status: 400, message: "the host is blocked; unblock it first" },
  ERR_HOST_NOT_ENROLLED: { status: 400, message: "the host isn't enrolled" },
  ERR_HOST_SIGN_IN_EXPIRED: {
    status: 400,
    message: "the sign-in for this device has expired; sign in again",
  },
  ERR_HOST_OFFLINE: { status: 400, message: "the host is offline or didn't respond" },

  ERR_RULES_WIDER: {
    status: 400,
    message: "the router's Nebula version would allow more than the rules; update it or accept wider rules",
  },

  ERR_GUARANTEE_VIOLATED: { status: 400, message: "the change breaks a guarantee" },

  ERR_INVALID_EMAIL: { status: 400, message: "must be an email address" },
  ERR_INVALID_SETUP_CODE: { status: 400, message: "the setup code is missing or invalid" },
  ERR_INVALID_MAGIC_LINK_TOKEN: {
    status: 400,
    message: "the link is invalid, expired or already used; request a new one",
  },
  ERR_INVITATION_PENDING: {
    status: 400,
    message: "this address has an open invitation; accept or decline it first",
  },
  ERR_ALREADY_MEMBER: {
    status: 400,
    message: "this address already belongs to an organization; leave that organization first",
  },
  ERR_INVALID_TOTP_CODE: { status: 400, message: "the code is invalid; enter the current one" },
  ERR_INVALID_RECOVERY_CODE: { status: 400, message: "the recovery code is wrong or already used" },
  ERR_INVALID_TOTP_TOKEN: { status: 400, message: "the setup token is invalid or expired; start again" },
  ERR_2FA_ENROLLMENT_REQUIRED: { status: 400, message: "set up an authenticator first" },

  ERR_INVALID_OIDC_REQUEST_TOKEN: { status: 400, message: "the sign-in is invalid or expired; start again" },
  ERR_OIDC_NOT_CONFIGURED: { status: 400, message: "single sign-on isn't configured" },
  ERR_OIDC_PROVIDER_MISMATCH: { status: 400, message: "the identity provider changed; sign in again" },
  ERR_OIDC_EXCHANGE_CODE: { status: 400, message: "the identity provider rejected the code exchange" },
  ERR_OIDC_MISSING_CLAIMS: { status: 400, message: "the identity provider left out required claims" },
  ERR_OIDC_NOT_ALLOWED: { status: 400, message: "this account isn't allowed to sign in" },
  ERR_OIDC_PROVIDER_INACCESSIBLE: { status: 400, message: "can't reach the identity provider" },

  ERR_DOMAIN_RECORD_NOT_FOUND: { status: 400, message: "the DNS record wasn't found; add it first" },
  ERR_DNS_LOOKUP_FAILED: { status: 400, message: "the DNS lookup failed; try again later" },
  ERR_DOMAIN_TAKEN: { status: 400, message: "another organization has already verified this domain" },

  ERR_BILLING_INVALID_STATE: { status: 400, message: "not possible on the current plan" },

  ERR_UNAUTHORIZED: { status: 401, message: "missing or invalid credentials" },
  ERR_2FA_REQUIRED: { status: 401, message: "two-factor authentication is required" },
  ERR_2FA_RENEWAL_REQUIRED: { status: 401, message: "authenticate again to continue" },
  ERR_FORBIDDEN: { status: 403, message: "permission denied" },
  ERR_NOT_FOUND: { status: 404, message: "not found" },
  ERR_METHOD_NOT_ALLOWED: { status: 405, message: "method not allowed" },
  ERR_TIMEOUT: { status: 408, message: "the request took too long" },
  ERR_PAYLOAD_TOO_LARGE: { status: 413, message: "the request body is too large" },
  ERR_TOO_MANY_REQUESTS: { status: 429, message: "too many requests" },
  ERR_INTERNAL_SERVER_ERROR: { status: 500, message: "internal server error" },
  ERR_UNAVAILABLE: { status: 503, message: "temporarily unavailable" },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalog;

/** An object that prevents a deletion. */
export interface Dependent {
  type: "host" | "lighthouse" | "relay" | "role" | "tag" | "route" | "network";
  /** A tag's name, for tags. */
  id: string;
  name: string;
  /** Only for objects in a network. */
  networkID?: string;
}

/** A rule that allows more than intended on a router with an old version of Nebula. */
export interface WidenedRule {
  source: { kind: "role" } | { kind: "tag"; name: string } | { kind: "route"; id: string };
  /** The rule's position in the source. */
  index: number;
  opens: "routedNetworks" | "routerAndAllRoutedNetworks";
}

/** A guarantee that a change breaks. */
export interface ViolatedGuarantee {
  id: string;
  description: string;
  /** In the form of `Counterexample`. */
  counterexample: object;
}

export interface ErrorEntry {
  code: string;
  message: string;
  path?: string | null;
  extra?: {
    limit?: number;
    missingClaims?: string[];
    /** For ERR_HAS_DEPENDENTS: the first dependents and their total number. */
    dependents?: Dependent[];
    total?: number;
    /** For ERR_RULES_WIDER: the router's version of Nebula and the rules it would widen. */
    nebulaVersion?: string;
    rules?: WidenedRule[];
    /** For ERR_GUARANTEE_VIOLATED: the guarantees, each with a pair of hosts that breaks it. */
    guarantees?: ViolatedGuarantee[];
  };
}

export interface ErrorBody {
  errors: ErrorEntry[];
}
