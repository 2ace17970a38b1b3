/** The state changes of a CA: hosts trust it before it signs, and after another one signs. */
import type { CertificateAuthority } from "@lightkeeper/contract";

export type CaState = CertificateAuthority["state"];

const nextStates: Record<CaState, readonly CaState[]> = {
  PENDING: ["SIGNING", "RETIRED"],
  SIGNING: ["TRUSTED"],
  TRUSTED: ["RETIRED"],
  RETIRED: [],
};

export const canChangeState = (from: CaState, to: CaState): boolean => nextStates[from].includes(to);
