/** Organizations, their users, and how users and API keys authenticate. */
import type { MemberRole, Scope } from "@lightkeeper/contract";
import type { ColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

export interface AccountTables {
  organizations: {
    id: Fixed<string>;
    name: string;
    plan: "free" | "pro" | "selfHosted";
    wanted_plan: "pro" | null;
    created_at: Fixed<Date>;
  };
  feature_flags: {
    organization_id: Fixed<string>;
    name: Fixed<string>;
    value: boolean;
  };
  users: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    email: string;
    role: MemberRole;
    created_at: Fixed<Date>;
  };
  sessions: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    user_id: Fixed<string>;
    token_hash: Fixed<Buffer>;
    created_at: Fixed<Date>;
    last_used_at: Date;
    expires_at: Date;
    address: Fixed<string | null>;
    user_agent: Fixed<string | null>;
    /** When the second factor was first presented. */
    completed_at: ColumnType<Date | null, never, Date>;
  };
  auth_tokens: {
    token_hash: Fixed<Buffer>;
    session_id: Fixed<string>;
    authenticated_at: Fixed<Date>;
    expires_at: Date;
  };
  magic_links: {
    token_hash: Fixed<Buffer>;
    email: Fixed<string>;
    purpose: Fixed<"signIn" | "signUp">;
    plan: Fixed<"pro" | null>;
    /** Hash of the setup code that the link was requested with. */
    setup_code_hash: Fixed<Buffer | null>;
    expires_at: Fixed<Date>;
  };
  /** At most one row. The first account of a public server requires its code. */
  setup_codes: {
    id: Fixed<boolean>;
    code_hash: Buffer;
    created_at: Date;
  };
  totp_authenticators: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    user_id: Fixed<string>;
    name: string;
    secret: Fixed<Buffer>;
    last_used_step: number;
    /** Time steps of the last used codes, in the order of their use. */
    recent_steps: ColumnType<number[], number[] | undefined, number[]>;
    last_used_at: Date | null;
    created_at: Fixed<Date>;
  };
  totp_setups: {
    token_hash: Fixed<Buffer>;
    id: Fixed<string>;
    organization_id: Fixed<string>;
    user_id: Fixed<string>;
    name: Fixed<string>;
    secret: Fixed<Buffer>;
    expires_at: Fixed<Date>;
  };
  recovery_codes: {
    organization_id: Fixed<string>;
    user_id: Fixed<string>;
    code_hash: Fixed<Buffer>;
    created_at: Fixed<Date>;
    used_at: ColumnType<Date | null, never, Date>;
  };
  api_keys: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    name: string;
    scopes: Scope[];
    token_hash: Buffer;
    previous_token_hash: Buffer | null;
    previous_expires_at: Date | null;
    expires_at: Date | null;
    last_used_at: Date | null;
    created_at: Fixed<Date>;
    /** The creator at that time; null if not recorded. */
    created_by_id: Fixed<string | null>;
    created_by_email: Fixed<string | null>;
  };
}
