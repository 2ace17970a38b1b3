/** CAs in every state, for tests of their list and of their states. */
import {
  createHostV2,
  createNetwork,
  listCertificateAuthorities,
  PAGE_SIZE_MAX,
} from "@lightkeeper/contract";
import { afterAll, beforeAll } from "vitest";
import { done } from "../infrastructure/db/audited.ts";
import { createPendingCa, moveCa } from "../nouns/certificate-authorities/certificate-authorities.service.ts";
import type { CaState } from "../nouns/certificate-authorities/certificate-authorities.states.ts";
import { bumpRevisions, setSigningCa } from "../nouns/networks/revisions.service.ts";
import { type Session, startTestServer, type TestServer } from "./server.ts";

export let server: TestServer;
export let owner: Session;
/** Everything that the server has logged. */
export let logged = "";

/** Registers the hooks that start a server and create an organization. */
export function useCertificateAuthorities(): void {
  beforeAll(async () => {
    logged = "";
    server = await startTestServer({
      environment: { LOG_LEVEL: "trace" },
      logTo: { write: (line: string) => void (logged += line) },
    });
    owner = await server.signUp();
  });
  afterAll(() => server.close());
}

let objectCount = 0;
export const createTestNetwork = (session = owner) =>
  session.call(createNetwork, { body: { name: `Network ${++objectCount}` } });

/** Creates a network with a second CA, which is pending. */
export async function createRotatingNetwork() {
  const { id: networkID, signingCAID } = await createTestNetwork();
  const pendingID = await server.ctx.audited(async (tx) => {
    const network = await tx
      .selectFrom("networks")
      .selectAll()
      .where("id", "=", networkID)
      .executeTakeFirstOrThrow();
    const { ca, entries } = await createPendingCa(server.ctx, tx, { network, now: server.ctx.clock() });
    return done(ca.id, ...entries);
  });
  return { networkID, signingCAID, pendingID };
}

export const move = (id: string, to: CaState, { organizationID } = owner) =>
  server.ctx.audited(async (tx) => {
    const { ca, entries } = await moveCa(tx, { organizationID, id, to });
    if (to === "SIGNING") await setSigningCa(tx, ca);
    await bumpRevisions(tx, organizationID, [ca.network_id]);
    return done(ca, ...entries);
  });

export const list = async (query: object = {}) =>
  (await owner.call(listCertificateAuthorities, { query })).data;

export async function stateOf(id: string): Promise<CaState | undefined> {
  return (await list({ pageSize: PAGE_SIZE_MAX })).find((ca) => ca.id === id)?.state;
}

/** Creates a CA in that state, in its own network. */
export async function createCaInState(state: CaState): Promise<string> {
  const { signingCAID, pendingID } = await createRotatingNetwork();
  if (state === "PENDING") return pendingID;
  if (state === "SIGNING") return signingCAID;
  await move(pendingID, "SIGNING");
  if (state === "RETIRED") await move(signingCAID, "RETIRED");
  return signingCAID;
}

/** Creates a host with a certificate of the CA. */
export async function createHostWithCa(networkID: string, caID: string, expiresAt?: string): Promise<void> {
  const { id } = await owner.call(createHostV2, { body: { name: `host-${++objectCount}`, networkID } });
  await server.query("update hosts set ca_id = $1, certificate_expires_at = $2 where id = $3", [
    caID,
    expiresAt ?? null,
    id,
  ]);
}
