/**
 * Certificates of hosts are valid for a year, but never longer than their CA. The caller has locked the network, so
 * that no CA is retired while it signs.
 */
import { createHash } from "node:crypto";
import { type IpPrefix, isIpv6Text, parseCidr, parseIpPrefix } from "@lightkeeper/nebula";
import { createSigner, type Signer } from "@lightkeeper/nebula/signing";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { executeWithNext } from "../../infrastructure/db/driver.ts";
import { toHexText } from "../../infrastructure/db/json-rows.ts";
import { DAY_MS, MINUTE_MS } from "../../infrastructure/time/durations.ts";

export const CERTIFICATE_DAYS = 365;
const BACKDATE_MS = MINUTE_MS;
/** Longer than any blocklist contains an expired certificate. */
const RETENTION_MS = 3 * DAY_MS;

/** The part of a certificate that identifies its host. */
export interface Identity {
  name: string;
  /** IPv4 first; version 1 certificates contain only that one. */
  addresses: string[];
  /** The range of the network that each address is in. */
  cidrs: string[];
  groups: string[];
  unsafeNetworks: string[];
}

export interface Issuer {
  id: string;
  fingerprint: string;
  /** Of the CA, and of the certificates that it signs. */
  certVersion: 1 | 2;
  notBefore: Date;
  notAfter: Date;
}

export interface IssuedCertificate {
  /** Two blocks if there is a second issuer. */
  pem: string;
  fingerprint: string;
  notAfter: Date;
}

/** Certificates with one address have the hash that they had when there was no IPv6. */
export function hashIdentity({ name, addresses, cidrs, groups, unsafeNetworks }: Identity): string {
  const networks = addresses.length === 1 ? [addresses[0], cidrs[0]] : [addresses, cidrs];
  return createHash("sha256")
    .update(JSON.stringify([name, ...networks, groups.toSorted(), unsafeNetworks.toSorted()]))
    .digest("hex");
}

/** The end of a certificate issued now; the certificate of a device ends with its user's sign-in. */
export function certificateEnd(issuer: Issuer, now: Date, endpointExpiresAt: Date | null): Date {
  const year = now.getTime() + CERTIFICATE_DAYS * DAY_MS;
  return new Date(Math.min(year, issuer.notAfter.getTime(), endpointExpiresAt?.getTime() ?? Infinity));
}

export interface Issue {
  host: { id: string; organizationID: string; networkID: string; endpointExpiresAt: Date | null };
  identity: Identity;
  issuer: Issuer;
  /** Signs a version 2 certificate beside the version 1 certificate, while a network is upgraded. */
  secondIssuer: Issuer | undefined;
  /** The key of the host's tunnels. */
  publicKey: Buffer;
  now: Date;
}

/** Issues one certificate for each request, in their order. Takes effect with the caller's next statement. */
export type IssueCertificates = (tx: Writer, issues: readonly Issue[]) => Promise<IssuedCertificate[]>;

/** Decrypts the key of each CA once. */
function createCaSigners(ctx: Context) {
  const signers = new Map<string, Signer>();
  return async (db: Reader, id: string): Promise<Signer> => {
    const cached = signers.get(id);
    if (cached) return cached;
    const { private_key, curve } = await db
      .selectFrom("certificate_authorities")
      .select(["private_key", "curve"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const place = { table: "certificate_authorities", column: "private_key", id };
    const signer = createSigner(ctx.secrets.open(private_key, place), curve);
    signers.set(id, signer);
    return signer;
  };
}

export function createCertificateIssuer(ctx: Context): IssueCertificates {
  const signerOf = createCaSigners(ctx);
  const issueOne = async (tx: Writer, { host, identity, issuer, secondIssuer, publicKey, now }: Issue) => {
    const backdated = new Date(now.getTime() - BACKDATE_MS);
    const notBefore = backdated > issuer.notBefore ? backdated : issuer.notBefore;
    const notAfter = certificateEnd(issuer, now, host.endpointExpiresAt);
    const validity = { notBefore, notAfter, publicKey };
    const first = sign(await signerOf(tx, issuer.id), issuer, identity, validity);
    const second =
      secondIssuer && sign(await signerOf(tx, secondIssuer.id), secondIssuer, identity, validity);
    const { fingerprint } = first;
    const row = {
      fingerprint,
      other_fingerprint: first.otherFingerprint ?? null,
      second_ca_id: secondIssuer?.id ?? null,
      second_fingerprint: second?.fingerprint ?? null,
      other_second_fingerprint: second?.otherFingerprint ?? null,
      organization_id: host.organizationID,
      network_id: host.networkID,
      ca_id: issuer.id,
      host_id: host.id,
      public_key: toHexText(publicKey),
      identity_hash: hashIdentity(identity),
      groups: identity.groups,
      unsafe_networks: identity.unsafeNetworks,
      not_before: notBefore,
      not_after: notAfter,
    };
    return { row, issued: { pem: first.pem + (second?.pem ?? ""), fingerprint, notAfter } };
  };
  return async (tx, issues) => {
    const certificates = [];
    for (const issue of issues) certificates.push(await issueOne(tx, issue));
    const rows = JSON.stringify(certificates.map(({ row }) => row));
    await executeWithNext(
      tx,
      sql`
        insert into host_certificates (${CERTIFICATE_COLUMNS})
          select ${CERTIFICATE_COLUMNS} from jsonb_populate_recordset(null::host_certificates, ${rows}::jsonb)`,
    );
    return certificates.map(({ issued }) => issued);
  };
}

const CERTIFICATE_COLUMNS = sql`fingerprint, other_fingerprint, second_ca_id, second_fingerprint,
  other_second_fingerprint, organization_id, network_id, ca_id, host_id, public_key, identity_hash, groups,
  unsafe_networks, not_before, not_after`;

interface Validity {
  notBefore: Date;
  notAfter: Date;
  publicKey: Buffer;
}

const isIpv4 = (text: string) => !isIpv6Text(text);

/** A version 1 certificate contains only the IPv4 part of the identity. */
function sign(signer: Signer, issuer: Issuer, identity: Identity, validity: Validity) {
  const { name, groups, unsafeNetworks } = identity;
  const common = { name, groups, ...validity, isCa: false, issuer: issuer.fingerprint };
  const networks = identity.addresses.map(
    (address, index) => `${address}/${toPrefix(identity.cidrs[index] ?? "").prefixLength}`,
  );
  return issuer.certVersion === 2
    ? signer.issueV2({
        ...common,
        networks: networks.map(toPrefix),
        unsafeNetworks: unsafeNetworks.map(toPrefix),
      })
    : signer.issueV1({
        ...common,
        networks: networks.filter(isIpv4).map(toCidr),
        unsafeNetworks: unsafeNetworks.filter(isIpv4).map(toCidr),
      });
}

function toPrefix(text: string): IpPrefix {
  const prefix = parseIpPrefix(text);
  if (!prefix) throw new Error(`${text} is not a network`);
  return prefix;
}

function toCidr(text: string) {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`${text} is not an IPv4 network`);
  return cidr;
}

/** Puts all valid certificates of the hosts on the blocklist; returns their number. */
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

export async function revokeFingerprints(
  tx: Writer,
  { fingerprints, now }: { fingerprints: readonly string[]; now: Date },
): Promise<void> {
  await tx
    .updateTable("host_certificates")
    .set({ revoked_at: now })
    .where("fingerprint", "in", fingerprints)
    .execute();
}

export async function deleteExpiredCertificates({ unaudited }: Context, now: Date): Promise<void> {
  await unaudited
    .deleteFrom("host_certificates")
    .where("not_after", "<", new Date(now.getTime() - RETENTION_MS))
    .execute();
}

export const auditCertificate = (fingerprint: string, notAfter: Date) => ({
  fingerprint,
  expiresAt: notAfter.toISOString(),
});
