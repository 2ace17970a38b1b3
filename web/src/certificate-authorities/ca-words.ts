import type { CertificateAuthority } from "@lightkeeper/contract";
import type { StatusProps } from "../ui/feedback/status.tsx";

type State = CertificateAuthority["state"];

export const stateWords: Record<State, { label: string; tone: StatusProps["tone"]; meaning: string }> = {
  PENDING: { label: "Pending", tone: "new", meaning: "Hosts learn to trust it; it signs nothing yet." },
  SIGNING: { label: "Signing", tone: "ok", meaning: "Signs every certificate of its network." },
  TRUSTED: {
    label: "Trusted",
    tone: "warn",
    meaning: "Signs nothing any more; its certificates still count.",
  },
  RETIRED: { label: "Retired", tone: "off", meaning: "No host trusts it any more." },
};

interface Runway {
  at: string;
  networkID: string;
  /** What ends: the certificate of a host, or the authority itself. */
  what: "certificate" | "authority";
}

const ends = (authority: CertificateAuthority): Runway[] => {
  const { networkID, notAfter, firstCertificateExpiresAt: first, hostCount } = authority;
  if (hostCount === 0 || authority.state === "RETIRED") return [];
  const own: Runway = { at: notAfter, networkID, what: "authority" };
  return first ? [own, { at: first, networkID, what: "certificate" }] : [own];
};

/** What would end first if nothing were renewed any more. */
export function runwayOf(authorities: readonly CertificateAuthority[]): Runway | undefined {
  return authorities.flatMap(ends).sort((one, other) => one.at.localeCompare(other.at))[0];
}

/** Networks whose authority is being replaced: more than one of theirs counts. */
export function rotatingNetworks(authorities: readonly CertificateAuthority[]): string[] {
  const counting = authorities.filter(({ state }) => state !== "RETIRED").map(({ networkID }) => networkID);
  return [...new Set(counting.filter((id, index) => counting.indexOf(id) !== index))];
}
