import * as contract from "@lightkeeper/contract";
import type { CertificateAuthority } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { isFeatureOn } from "../organizations/organizations.service.ts";
import { type CaRow, type CaUse, listCas, listCaUses } from "./certificate-authorities.queries.ts";

const toCertificateAuthority = (row: CaRow, use: CaUse | undefined): CertificateAuthority => ({
  id: row.id,
  name: row.name,
  networkID: row.network_id,
  state: row.state,
  fingerprint: row.fingerprint,
  curve: row.curve,
  certVersion: row.cert_version,
  notBefore: row.not_before.toISOString(),
  notAfter: row.not_after.toISOString(),
  hostCount: use?.hostCount ?? 0,
  firstCertificateExpiresAt: use?.firstExpiresAt?.toISOString() ?? null,
});

export function serveCertificateAuthorities(routes: Routes, ctx: Context): void {
  routes.read(contract.listCertificateAuthorities, async ({ person, query }) => {
    const organizationID = person.organization.id;
    if (!(await isFeatureOn(ctx, organizationID, "LIST_CERT_AUTHORITIES")))
      throw new ApiError("ERR_NOT_FOUND");
    const { rows, metadata } = await listCas(ctx.reader, organizationID, query["filter.networkID"], query);
    const uses = await listCaUses(
      ctx.reader,
      rows.map(({ id }) => id),
    );
    return { data: rows.map((row) => toCertificateAuthority(row, uses.get(row.id))), metadata };
  });
}
