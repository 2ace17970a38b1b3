import type { CertificateAuthority } from "@lightkeeper/contract";

interface Expiry {
  at: string;
  networkID: string;
  what: "certificate" | "CA";
}

function expiriesOf(ca: CertificateAuthority): Expiry[] {
  const { networkID, notAfter, firstCertificateExpiresAt, hostCount } = ca;
  if (hostCount === 0 || ca.state === "RETIRED") return [];
  const caExpiry: Expiry = { at: notAfter, networkID, what: "CA" };
  if (firstCertificateExpiresAt === null) return [caExpiry];
  return [caExpiry, { at: firstCertificateExpiresAt, networkID, what: "certificate" }];
}

/** The first expiry that would cost a host its access if nothing were renewed. */
export function firstExpiryOf(cas: readonly CertificateAuthority[]): Expiry | undefined {
  return cas.flatMap(expiriesOf).sort((one, other) => one.at.localeCompare(other.at))[0];
}
