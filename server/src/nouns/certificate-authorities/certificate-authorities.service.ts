/**
 * The system, not a person, creates, activates and retires CAs. Every network has exactly one that signs. The private
 * key is stored encrypted, and no response or audit entry contains it.
 */
import { createCa as generateCa } from "@lightkeeper/nebula/signing";
import type { Selectable } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockCertificateAuthoritiesForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";
import { type CaRow, listCaUses, findNetworkOf, setCaState } from "./certificate-authorities.queries.ts";
import { canChangeState, type CaState } from "./certificate-authorities.states.ts";

const LIFETIME_YEARS = 5;
const BACKDATE_MS = MINUTE_MS;

export interface CaOutcome {
  ca: CaRow;
  entries: [AuditEntry, ...AuditEntry[]];
}

type Network = Pick<
  Selectable<Tables["networks"]>,
  "id" | "organization_id" | "curve" | "cert_version" | "signing_ca_id"
>;

const auditCa = ({ name, network_id, state, fingerprint }: CaRow) => ({
  name,
  networkID: network_id,
  state,
  fingerprint,
});

const caEntry = (before: CaRow | null, after: CaRow): AuditEntry => ({
  organizationID: after.organization_id,
  actor: { type: "system" },
  target: { type: "ca", id: after.id },
  event: before ? "UPDATED" : "CREATED",
  before: before && auditCa(before),
  after: auditCa(after),
  networkID: after.network_id,
});

const signingEntry = (before: CaRow | undefined, after: CaRow): AuditEntry => ({
  organizationID: after.organization_id,
  actor: { type: "system" },
  target: { type: "network", id: after.network_id },
  event: "SET_NETWORK_CA",
  before: before ? { signingCAID: before.id } : null,
  after: { signingCAID: after.id },
  networkID: after.network_id,
});

/** Hosts trust a pending CA before it signs. */
export async function createPendingCa(
  ctx: Context,
  tx: Writer,
  { network, now }: { network: Network; now: Date },
): Promise<CaOutcome> {
  const ca = await insertCa(ctx, tx, { network, id: newId("ca"), state: "PENDING", now });
  return { ca, entries: [caEntry(null, ca)] };
}

/** The first CA of a new network, with the id that the network already refers to. */
export async function createSigningCa(
  ctx: Context,
  tx: Writer,
  { network, now }: { network: Network; now: Date },
): Promise<CaOutcome> {
  const ca = await insertCa(ctx, tx, { network, id: network.signing_ca_id, state: "SIGNING", now });
  return { ca, entries: [caEntry(null, ca), signingEntry(undefined, ca)] };
}

interface NewCa {
  network: Network;
  id: string;
  state: CaState;
  now: Date;
}

async function insertCa(ctx: Context, tx: Writer, { network, id, state, now }: NewCa): Promise<CaRow> {
  const notBefore = new Date(now.getTime() - BACKDATE_MS);
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + LIFETIME_YEARS);
  const name = `${id.slice(0, 11)} CA`;
  const { curve, cert_version: certificateVersion } = network;
  const generated = generateCa({ name, notBefore, notAfter, certificateVersion, curve });
  const row = {
    id,
    organization_id: network.organization_id,
    network_id: network.id,
    name,
    state,
    curve: network.curve,
    cert_version: network.cert_version,
    certificate: generated.certificatePem,
    fingerprint: generated.fingerprint,
    not_before: notBefore,
    not_after: notAfter,
    created_at: now,
  };
  const place = { table: "certificate_authorities", column: "private_key", id };
  await tx
    .insertInto("certificate_authorities")
    .values({ ...row, private_key: ctx.secrets.seal(generated.privateKey, place) })
    .execute();
  return row;
}

export interface CaMove {
  organizationID: string;
  id: string;
  to: CaState;
}

/** Changes the state of a CA, and of the CA it replaces. The caller has locked the network and raises its revision. */
export async function moveCa(tx: Writer, { organizationID, id, to }: CaMove): Promise<CaOutcome> {
  const networkID = await findNetworkOf(tx, organizationID, id);
  if (!networkID) throw new ApiError("ERR_NOT_FOUND");
  const cas = await lockCertificateAuthoritiesForNoKeyUpdate(tx, organizationID, networkID);
  const before = cas.find((ca) => ca.id === id);
  if (!before) throw new ApiError("ERR_NOT_FOUND");
  if (to === "RETIRED") await requireUnusedCa(tx, before);
  if (!canChangeState(before.state, to)) throw new Error(`${id} is ${before.state} and can't become ${to}`);
  if (to === "SIGNING") return startSigning(tx, before, cas);
  if (before.state === "SIGNING") throw new Error(`${id} signs for its network until another CA replaces it`);
  const ca = await setCaState(tx, before, to);
  return { ca, entries: [caEntry(before, ca)] };
}

async function requireUnusedCa(tx: Writer, { id, state }: CaRow): Promise<void> {
  if (state === "SIGNING" || (await listCaUses(tx, [id])).has(id)) throw new ApiError("ERR_HAS_DEPENDENTS");
}

/** Changes the replaced CA first, because a unique index allows only one that signs. */
async function startSigning(tx: Writer, before: CaRow, cas: CaRow[]): Promise<CaOutcome> {
  const replaced = cas.find(({ state }) => state === "SIGNING");
  const entries: AuditEntry[] = [];
  if (replaced) entries.push(caEntry(replaced, await setCaState(tx, replaced, "TRUSTED")));
  const ca = await setCaState(tx, before, "SIGNING");
  return { ca, entries: [caEntry(before, ca), ...entries, signingEntry(replaced, ca)] };
}
