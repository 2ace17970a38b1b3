/** Invitations, single sign-on and the people and devices that use it. */
import type { MemberRole, SsoDefaultRole } from "@lightkeeper/contract";
import type { ColumnType, JSONColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

interface Claim {
  name: string;
  value: string;
}

export interface MemberTables {
  /** Browsers that users have logged in from, to notify them of a new one. */
  known_browsers: {
    organization_id: Fixed<string>;
    user_id: Fixed<string>;
    browser: Fixed<string>;
    network: Fixed<string>;
    last_used_at: Date;
  };
  /** A view. */
  members: {
    [Column in "organization_id" | "id" | "email"]: ColumnType<string, never, never>;
  } & {
    kind: ColumnType<"user" | "oidcUser" | "invitation", never, never>;
    role: ColumnType<MemberRole, never, never>;
    created_at: ColumnType<Date, never, never>;
    expires_at: ColumnType<Date | null, never, never>;
    invited_by_email: ColumnType<string | null, never, never>;
  };
  invitations: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    email: Fixed<string>;
    role: MemberRole;
    /** The inviter at that time; null if not recorded. */
    invited_by_id: Fixed<string | null>;
    invited_by_email: Fixed<string | null>;
    created_at: Fixed<Date>;
    expires_at: Date;
  };
  /** One per organization. */
  oidc_providers: {
    organization_id: Fixed<string>;
    /** Changes with the issuer and the client, so that earlier sign-ins can't be completed. */
    id: string;
    name: string;
    issuer_url: string;
    client_id: string;
    /** Encrypted. */
    client_secret: Buffer;
    allowed_domains: string[];
    required_claim: JSONColumnType<Claim> | null;
    /** People with this claim are auditors. */
    auditor_claim: JSONColumnType<Claim> | null;
    /** Accepts email addresses without the claim email_verified. */
    trusts_emails: boolean;
    /** The role of people without the auditor claim. */
    default_role: SsoDefaultRole;
    /** The network that devices join; null if people can't enroll devices. */
    endpoint_network_id: string | null;
    endpoint_role_id: string | null;
    endpoint_tags: string[];
    endpoint_valid_days: number;
    /** An administrator approves each new device before it gets an enrollment code. */
    endpoint_requires_approval: ColumnType<boolean, boolean | undefined, boolean>;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  oidc_users: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    issuer: Fixed<string>;
    subject: Fixed<string>;
    email: string;
    role: MemberRole;
    created_at: Fixed<Date>;
    signed_in_at: Date;
    /** Set while the person is removed; the row stays so that their next sign-in is rejected. */
    removed_at: ColumnType<Date | null, never, Date | null>;
  };
  oidc_sessions: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    oidc_user_id: Fixed<string>;
    token_hash: Fixed<Buffer>;
    created_at: Fixed<Date>;
    last_used_at: Date;
    expires_at: Date;
  };
  /** Sign-ins that have started. */
  oidc_requests: {
    token_hash: Fixed<Buffer>;
    organization_id: Fixed<string>;
    provider_id: Fixed<string>;
    state: Fixed<string>;
    nonce: Fixed<string>;
    code_verifier: Fixed<string>;
    /** Encrypted settings of a provider that is being tested. */
    trial: Fixed<Buffer | null>;
    /** The request of the device that the sign-in is for. */
    endpoint_request: Fixed<Buffer | null>;
    expires_at: Fixed<Date>;
  };
  /** People who have enrolled devices. */
  endpoint_users: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    issuer: Fixed<string>;
    subject: Fixed<string>;
    email: string;
    created_at: Fixed<Date>;
  };
  /** A domain routes devices to its organization once it is verified. */
  organization_domains: {
    organization_id: Fixed<string>;
    domain: Fixed<string>;
    /** Published in DNS to prove control of the domain; not a secret. */
    token: Fixed<string>;
    created_at: Fixed<Date>;
    verified_at: ColumnType<Date | null, never, Date>;
  };
  /** Devices that wait for an administrator's approval after their person has signed in. */
  device_requests: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    poll_token_hash: Fixed<Buffer>;
    issuer: Fixed<string>;
    subject: Fixed<string>;
    email: Fixed<string>;
    /** The IP address that the person signed in from. */
    address: Fixed<string>;
    created_at: Fixed<Date>;
    expires_at: Fixed<Date>;
  };
}
