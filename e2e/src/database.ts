/** Changes the server's database directly, to simulate passed time or an operator. */
import { join } from "node:path";
import { Client } from "pg";

/** Runs one statement in the embedded PostgreSQL of a server and returns the number of affected rows. */
export async function runStatement(dataDir: string, statement: string, values: unknown[] = []) {
  const client = new Client({
    host: join(dataDir, "postgres-run"),
    user: "lightkeeper",
    database: "lightkeeper",
  });
  await client.connect();
  try {
    const { rowCount } = await client.query(statement, values);
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}

/** Shifts the database's clock, which the server uses, for new connections. */
export async function shiftDatabaseClock(dataDir: string, seconds: number): Promise<void> {
  await runStatement(dataDir, "create schema if not exists shifted");
  for (const name of ["clock_timestamp", "now"])
    await runStatement(
      dataDir,
      `create or replace function shifted.${name}() returns timestamptz language sql as
        $$ select pg_catalog.${name}() + interval '${seconds} seconds' $$`,
    );
  await runStatement(dataDir, "alter role lightkeeper set search_path = public, shifted, pg_catalog");
}

const sessionsOf = "select s.id from sessions s join users u on u.id = s.user_id where u.email = $1";

/** Simulates that 16 hours have passed since the second factor was entered. */
export const expireAuthTokens = (dataDir: string, email: string) =>
  runStatement(
    dataDir,
    `update auth_tokens set expires_at = now() - interval '1 second' where session_id in (${sessionsOf})`,
    [email],
  );

/** Simulates that an operator has revoked all sessions of the user. */
export const revokeSessions = (dataDir: string, email: string) =>
  runStatement(dataDir, `delete from sessions where id in (${sessionsOf})`, [email]);

/** Simulates that 15 minutes have passed since the link was requested. */
export const expireLinks = (dataDir: string, email: string) =>
  runStatement(dataDir, "update magic_links set expires_at = now() - interval '1 second' where email = $1", [
    email,
  ]);

/** Simulates that 10 minutes have passed since the QR code was shown. */
export const expireSetups = (dataDir: string, email: string) =>
  runStatement(
    dataDir,
    "update totp_setups set expires_at = now() - interval '1 second' where user_id = (select id from users where email = $1)",
    [email],
  );

/** Simulates that an operator has removed the user's lost authenticators. */
export const removeAuthenticators = (dataDir: string, email: string) =>
  runStatement(
    dataDir,
    "delete from totp_authenticators where user_id = (select id from users where email = $1)",
    [email],
  );

/** Allows the current codes to be used again. */
export const forgetUsedCodes = (dataDir: string, email: string) =>
  runStatement(
    dataDir,
    "update totp_authenticators set last_used_step = 0 where user_id = (select id from users where email = $1)",
    [email],
  );

interface SeenHost {
  isOnline?: boolean;
  isDrifted?: boolean;
  /** Days until the certificate expires. */
  certificateDays?: number;
}

/** Simulates that the host has enrolled and its agent has just been seen. */
export const markHostSeen = (
  dataDir: string,
  hostID: string,
  { isOnline = true, isDrifted = false, certificateDays = 300 }: SeenHost = {},
) =>
  runStatement(
    dataDir,
    `with seen as (update host_presence set last_seen_at = case when $2 then now() + interval '1 hour' else now() end
       where host_id = $1)
     update hosts set enrolled_at = now(), is_online = $2, is_drifted = $3,
       certificate_expires_at = now() + make_interval(days => $4),
       agent_name = 'lightkeeper-agent', agent_version = '0.0.9'
     where id = $1`,
    [hostID, isOnline, isDrifted, certificateDays],
  );

/** Simulates the report of a host's agent, with traffic of a day that has a gap. */
export async function insertReport(dataDir: string, hostID: string, tunnels: object[]): Promise<void> {
  await runStatement(
    dataDir,
    `insert into host_reports (host_id, organization_id, config_hash, nebula_version, applied_at, tunnels, system,
        reported_at)
      select id, organization_id, '0', '1.9.5', now(), $2, $3, now() from hosts where id = $1`,
    [
      hostID,
      JSON.stringify(tunnels),
      JSON.stringify({ os: "Debian GNU/Linux 12", kernel: "6.8.0", arch: "amd64" }),
    ],
  );
  const buckets = Array.from({ length: 96 }, (_, index) => (index % 40 < 30 ? index * 1_000_000 : null));
  await runStatement(
    dataDir,
    `insert into host_traffic (host_id, organization_id, received, sent, newest_bucket, received_counter,
        sent_counter, reported_at)
      select id, organization_id, $2, $2, floor(extract(epoch from now()) / 900), 0, 0, now()
        from hosts where id = $1`,
    [hostID, buckets],
  );
}
