/** What may become of a certificate authority. Trust comes before signing and outlasts it. */
import type { CertificateAuthority } from "@lightkeeper/contract";

export type CaState = CertificateAuthority["state"];

const followers: Record<CaState, readonly CaState[]> = {
  PENDING: ["SIGNING", "RETIRED"],
  SIGNING: ["TRUSTED"],
  TRUSTED: ["RETIRED"],
  RETIRED: [],
};

export const canFollow = (from: CaState, to: CaState): boolean => followers[from].includes(to);
