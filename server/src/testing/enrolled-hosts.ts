import type { TestServer } from "./server.ts";

/** Gives hosts a certificate of their network's CA, as if they had enrolled. */
export async function markEnrolled(server: TestServer, ...hostIDs: string[]): Promise<void> {
  await server.query(
    `update hosts set enrolled_at = now(), ca_id = networks.signing_ca_id,
       certificate_expires_at = '2099-01-01T00:00:00Z'
     from networks where networks.id = hosts.network_id and hosts.id = any($1)`,
    [hostIDs],
  );
}
