import * as z from "zod/mini";
import { access, endpoint, list } from "../endpoint.ts";
import { id, instant, pageQuery } from "../fields.ts";

export const caStates = ["PENDING", "SIGNING", "TRUSTED", "RETIRED"] as const;

export const CertificateAuthority = z.strictObject({
  id: id("ca"),
  name: z.string(),
  networkID: id("network"),
  state: z.enum(caStates),
  fingerprint: z.string(),
  curve: z.enum(["25519", "P256"]),
  certVersion: z.union([z.literal(1), z.literal(2)]),
  notBefore: instant(),
  notAfter: instant(),
  /** Hosts whose current certificate this CA signed. */
  hostCount: z.number(),
  /** When the first of those certificates expires. */
  firstCertificateExpiresAt: z.nullable(instant()),
});
export type CertificateAuthority = z.output<typeof CertificateAuthority>;

export const listCertificateAuthorities = endpoint({
  method: "GET",
  path: "/v1/certificate-authorities",
  noun: "certificate-authorities",
  summary: "List certificate authorities; returns 404 if LIST_CERT_AUTHORITIES is off",
  access: access.session,
  query: z.strictObject({ ...pageQuery, "filter.networkID": z.optional(id("network")) }),
  response: list(CertificateAuthority),
  errors: ["ERR_NOT_FOUND"],
});
