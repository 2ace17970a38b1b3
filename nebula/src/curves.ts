// The curves of Nebula's keys. The length of a public key tells its curve, so details of certificates have no curve.

import { FormatError } from "./format-error.ts";

export const curves = ["25519", "P256"] as const;
export type Curve = (typeof curves)[number];

interface CurveFormat {
  /** The number of the curve in certificates; 0 is omitted where it can be. */
  readonly number: number;
  readonly publicKeyLength: number;
}

export const curveFormats: Readonly<Record<Curve, CurveFormat>> = {
  "25519": { number: 0, publicKeyLength: 32 },
  P256: { number: 1, publicKeyLength: 65 },
};

/** Before the two coordinates of a P256 key. */
const UNCOMPRESSED = 4;

export function curveOf(publicKey: Uint8Array): Curve {
  const curve = curves.find((name) => curveFormats[name].publicKeyLength === publicKey.length);
  if (curve === undefined || (curve === "P256" && publicKey[0] !== UNCOMPRESSED)) {
    throw new FormatError("a public key must have 32 bytes, or 65 bytes for curve P256");
  }
  return curve;
}
