import type { NetworkV2 } from "@lightkeeper/contract";

export const curveLabels: Readonly<Record<NetworkV2["curve"], string>> = {
  "25519": "Curve25519",
  P256: "P-256",
};

/** "Version 2, P-256" */
export const describeCertificates = ({ certVersion, curve }: Pick<NetworkV2, "certVersion" | "curve">) =>
  `Version ${certVersion}, ${curveLabels[curve]}`;
