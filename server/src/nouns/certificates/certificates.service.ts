/**
 * Certificates of hosts: issued for a year, never beyond the end of their authority, and revoked all at once.
 * Whoever comes here holds the network, so that none is issued by an authority that is being let go.
 */
import { createHash } from "node:crypto";
import { parseCidr, parseIpv4, type Cidr } from "@lightkeeper/nebula";
import { createSigner, type Signer } from "@lightkeeper/nebula/signing";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";

export const CERTIFICATE_DAYS = 365;
const DAY_MS = 86_400_000;
const BACKDATE_MS = 60_000;
/** Longer than anybody has an expired one on a blocklist. */
const KEPT_AFTER_END_MS = 3 * DAY_MS;

/** What a certificate says of a host. */
export interface Identity {
  name: string;
  address: string;
  /** The network's. */
  cidr: string;
  groups: string[];
  unsafeNetworks: string[];
}

export interface Issuer {
  id: string;
  fingerprint: string;
  notBefore: Date;
  notAfter: Date;
}

export interface IssuedCertificate {
  pem: string;
  fingerprint: string;
  notAfter: Date;
}

export const hashIdentity = ({ name, address, cidr, groups, unsafeNetworks }: Identity) =>
  createHash("sha256")
    .update(JSON.stringify([name, address, cidr, groups.toSorted(), unsafeNetworks.toSorted()]))
    .digest("hex");

/** As long as one that is issued now would last: a device's, for as long as its person has signed in for it. */
export function lastsUntil(issuer: Issuer, now: Date, endpointExpiresAt: Date | null): Date {
  const year = now.getTime() + CERTIFICATE_DAYS * DAY_MS;
  return new Date(Math.min(year, issuer.notAfter.getTime(), endpointExpiresAt?.getTime() ?? Infinity));
}

export interface Issue {
  host: { id: string; organizationID: string; networkID: string; endpointExpiresAt: Date | null };
  identity: Identity;
  issuer: Issuer;
  /** The host's tunnel key. */
  publicKey: Buffer;
  now: Date;
}

export type IssueCertificate = (tx: Writer, issue: Issue) => Promise<IssuedCertificate>;

/** Each authority's key is opened once. */
export function createCertificateIssuer(ctx: Context): IssueCertificate {
  const signers = new Map<string, Signer>();
  const signerOf = async (db: Reader, id: string): Promise<Signer> => {
    const known = signers.get(id);
    if (known) return known;
    const { private_key } = await db
      .selectFrom("certificate_authorities")
      .select("private_key")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const place = { table: "certificate_authorities", column: "private_key", id };
    const signer = createSigner(ctx.secrets.open(private_key, place));
    signers.set(id, signer);
    return signer;
  };

  return async (tx, { host, identity, issuer, publicKey, now }) => {
    const signer = await signerOf(tx, issuer.id);
    const backdated = new Date(now.getTime() - BACKDATE_MS);
    const notBefore = backdated > issuer.notBefore ? backdated : issuer.notBefore;
    const notAfter = lastsUntil(issuer, now, host.endpointExpiresAt);
    const { pem, fingerprint } = signer.issueV1({
      name: identity.name,
      networks: [
        { address: parsedAddress(identity.address), prefixLength: parsed(identity.cidr).prefixLength },
      ],
      unsafeNetworks: identity.unsafeNetworks.map(parsed),
      groups: identity.groups,
      notBefore,
      notAfter,
      publicKey,
      isCa: false,
      issuer: issuer.fingerprint,
    });
    await tx
      .insertInto("host_certificates")
      .values({
        fingerprint,
        organization_id: host.organizationID,
        network_id: host.networkID,
        ca_id: issuer.id,
        host_id: host.id,
        public_key: publicKey,
        identity_hash: hashIdentity(identity),
        groups: identity.groups,
        unsafe_networks: identity.unsafeNetworks,
        not_before: notBefore,
        not_after: notAfter,
      })
      .execute();
    return { pem, fingerprint, notAfter };
  };
}

function parsed(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`${text} is not a network`);
  return cidr;
}

function parsedAddress(text: string): number {
  const address = parseIpv4(text);
  if (address === undefined) throw new Error(`${text} is not an address`);
  return address;
}

/** Puts everything the hosts could still show on the blocklist; how many certificates that is. */
export async function revokeCertificates(
  tx: Writer,
  { hostIDs, now }: { hostIDs: readonly string[]; now: Date },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("host_certificates")
    .set({ revoked_at: now })
    .where("host_id", "in", hostIDs)
    .where("revoked_at", "is", null)
    .where("not_after", ">", now)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

export async function deleteExpiredCertificates({ unaudited }: Context, now: Date): Promise<void> {
  await unaudited
    .deleteFrom("host_certificates")
    .where("not_after", "<", new Date(now.getTime() - KEPT_AFTER_END_MS))
    .execute();
}
