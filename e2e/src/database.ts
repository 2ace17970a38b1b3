/** The server's own database, for what time or an operator would do to it. */
import { join } from "node:path";
import { Client } from "pg";

/** Runs one statement in the embedded PostgreSQL of a server and says how many rows it touched. */
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

/** The server takes its time from the database: connections opened after this see it shifted. */
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

/** As if sixteen hours had passed since the second factor was given. */
export const expireAuthTokens = (dataDir: string, email: string) =>
  runStatement(
    dataDir,
    `update auth_tokens set expires_at = now() - interval '1 second' where session_id in (${sessionsOf})`,
    [email],
  );

/** As if an operator had revoked everything the person is signed in with. */
export const revokeSessions = (dataDir: string, email: string) =>
  runStatement(dataDir, `delete from sessions where id in (${sessionsOf})`, [email]);

/** As if a quarter of an hour had passed since the link was asked for. */
export const expireLinks = (dataDir: string, email: string) =>
  runStatement(dataDir, "update magic_links set expires_at = now() - interval '1 second' where email = $1", [
    email,
  ]);

/** As if ten minutes had passed since the QR code was drawn. */
export const expireSetups = (dataDir: string, email: string) =>
  runStatement(
    dataDir,
    "update totp_setups set expires_at = now() - interval '1 second' where user_id = (select id from users where email = $1)",
    [email],
  );

/** As if the operator had taken the person's lost authenticators away. */
export const removeAuthenticators = (dataDir: string, email: string) =>
  runStatement(
    dataDir,
    "delete from totp_authenticators where user_id = (select id from users where email = $1)",
    [email],
  );

/** As if some half-minutes had passed: the codes of now can be used again. */
export const forgetUsedCodes = (dataDir: string, email: string) =>
  runStatement(
    dataDir,
    "update totp_authenticators set last_used_step = 0 where user_id = (select id from users where email = $1)",
    [email],
  );

interface Heard {
  isOnline?: boolean;
  isDrifted?: boolean;
  /** How long its certificate is still good for. */
  certificateDays?: number;
}

/** As if a host had enrolled and its agent had been heard of just now. */
export const hearOf = (
  dataDir: string,
  hostID: string,
  { isOnline = true, isDrifted = false, certificateDays = 300 }: Heard = {},
) =>
  runStatement(
    dataDir,
    `with heard as (update host_presence set last_seen_at = now() where host_id = $1)
     update hosts set enrolled_at = now(), is_online = $2, is_drifted = $3,
       certificate_expires_at = now() + make_interval(days => $4),
       agent_name = 'lightkeeper-agent', agent_version = '0.0.9'
     where id = $1`,
    [hostID, isOnline, isDrifted, certificateDays],
  );
