/** What the types of the database refuse: checked by the compiler, so that a write past the audit log does not build. */
import type { Kysely, Transaction } from "kysely";
import { describe, expectTypeOf, it } from "vitest";
import type { Context } from "../context/context.ts";
import type { Outcome } from "./audited.ts";
import type { Bookkeeper, Reader, Writer } from "./client.ts";
import type { BookkeepingTables, Tables } from "./tables.ts";

describe("the doors to the database", () => {
  it("let a reader look and not touch", () => {
    expectTypeOf<keyof Reader>().toEqualTypeOf<"selectFrom">();
    expectTypeOf<Context["reader"]>().toEqualTypeOf<Reader>();
  });

  it("let the bookkeeper write its own notes and nothing that an organization owns", () => {
    expectTypeOf<keyof BookkeepingTables>().toEqualTypeOf<
      | "rate_limits"
      | "mail_jobs"
      | "magic_links"
      | "totp_setups"
      | "known_browsers"
      | "setup_codes"
      | "audit_heads"
      | "jobs"
      | "job_items"
      | "import_plans"
      | "sessions"
      | "auth_tokens"
      | "api_keys"
      | "host_presence"
      | "hosts"
      | "host_certificates"
      | "host_credentials"
      | "host_reports"
      | "seen_signatures"
      | "host_commands"
      | "host_command_chunks"
      | "endpoint_auth_requests"
      | "oidc_sessions"
      | "oidc_requests"
      | "billing_accounts"
    >();
    const attempts = (db: Bookkeeper) => [
      // @ts-expect-error networks belong to an organization
      db.insertInto("networks"),
      // @ts-expect-error networks belong to an organization
      db.updateTable("networks"),
      // @ts-expect-error organizations are changed in an audited transaction only
      db.deleteFrom("organizations"),
      // @ts-expect-error the log is written by audited() alone
      db.insertInto("audit_logs"),
      // @ts-expect-error what a host is called is its organization's to say
      db.updateTable("hosts").set({ name: "" }),
      // @ts-expect-error a certificate is issued in an audited transaction only
      db.insertInto("host_certificates").values({ fingerprint: "" }),
      // @ts-expect-error and so it is revoked
      db.updateTable("host_certificates").set({ revoked_at: null }),
    ];
    expectTypeOf(attempts).parameter(0).toEqualTypeOf<Bookkeeper>();
  });

  it("hand out a writer in an audited transaction only, which has to end with its entries", () => {
    expectTypeOf<Writer>().toEqualTypeOf<Transaction<Tables>>();
    expectTypeOf<Kysely<Tables>>().not.toExtend<Writer>();
    type Done = Extract<Outcome<string>, { kind: "done" }>;
    expectTypeOf<[]>().not.toExtend<Done["entries"]>();
    expectTypeOf<Context[keyof Context]>().not.toExtend<Kysely<Tables>>();
  });

  it("do not leave the pool ajar", () => {
    expectTypeOf<keyof Context["pool"]>().toEqualTypeOf<
      "totalCount" | "idleCount" | "waitingCount" | "abandonedCount"
    >();
  });
});
