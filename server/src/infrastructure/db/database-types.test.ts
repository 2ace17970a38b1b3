/** Types that the compiler checks: a write that bypasses the audit log does not build. */
import type { Kysely, Transaction } from "kysely";
import { describe, expectTypeOf, it } from "vitest";
import type { Context } from "../context/context.ts";
import type { Outcome } from "./audited.ts";
import type { UnauditedWriter, Reader, Writer } from "./client.ts";
import type { UnauditedTables, Tables } from "./tables.ts";

describe("database types", () => {
  it("let a reader only select", () => {
    expectTypeOf<keyof Reader>().toEqualTypeOf<"selectFrom">();
    expectTypeOf<Context["reader"]>().toEqualTypeOf<Reader>();
  });

  it("let an unaudited writer write only the server's own tables", () => {
    expectTypeOf<keyof UnauditedTables>().toEqualTypeOf<
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
      | "access_changes"
      | "api_keys"
      | "host_presence"
      | "hosts"
      | "host_certificates"
      | "host_credentials"
      | "host_reports"
      | "host_traffic"
      | "host_revisions"
      | "host_blocks"
      | "seen_signatures"
      | "host_commands"
      | "host_command_chunks"
      | "endpoint_auth_requests"
      | "oidc_sessions"
      | "oidc_requests"
      | "billing_accounts"
      | "notification_cursors"
      | "notification_rule_states"
      | "notification_subjects"
      | "notification_events"
      | "notification_channel_states"
      | "notification_deliveries"
    >();
    // Statements, because the compiler takes 20 s to find the common type of a list of queries.
    const attempts = (db: UnauditedWriter) => {
      // @ts-expect-error networks belong to an organization
      void db.insertInto("networks");
      // @ts-expect-error networks belong to an organization
      void db.updateTable("networks");
      // @ts-expect-error organizations are changed in an audited transaction only
      void db.deleteFrom("organizations");
      // @ts-expect-error the log is written by audited() alone
      void db.insertInto("audit_logs");
      // @ts-expect-error the name of a host is changed in an audited transaction only
      void db.updateTable("hosts").set({ name: "" });
      // @ts-expect-error a certificate is issued in an audited transaction only
      void db.insertInto("host_certificates").values({ fingerprint: "" });
      // @ts-expect-error a certificate is revoked in an audited transaction only
      void db.updateTable("host_certificates").set({ revoked_at: null });
    };
    expectTypeOf(attempts).parameter(0).toEqualTypeOf<UnauditedWriter>();
  });

  it("provide a writer only in an audited transaction, which must return its entries", () => {
    expectTypeOf<Writer>().toEqualTypeOf<Transaction<Tables>>();
    expectTypeOf<Kysely<Tables>>().not.toExtend<Writer>();
    type Done = Extract<Outcome<string>, { kind: "done" }>;
    expectTypeOf<[]>().not.toExtend<Done["entries"]>();
    expectTypeOf<Context[keyof Context]>().not.toExtend<Kysely<Tables>>();
  });

  it("expose only the counters of the pool", () => {
    expectTypeOf<keyof Context["pool"]>().toEqualTypeOf<
      "totalCount" | "idleCount" | "waitingCount" | "abandonedCount"
    >();
  });
});
