import * as contract from "@lightkeeper/contract";
import type { CertificateAuthority } from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import type { Routes } from "../http/route.ts";
import { isFeatureOn } from "../organizations/organizations.service.ts";
import { type CaRow, countHosts, listCas } from "./certificate-authorities.queries.ts";

const toCertificateAuthority = (row: CaRow, hostCount: number): CertificateAuthority => ({
  id: row.id,
  name: row.name,
  networkID: row.network_id,
  state: row.state,
  fingerprint: row.fingerprint,
  curve: row.curve,
  certVersion: row.cert_version,
  notBefore: row.not_before.toISOString(),
  notAfter: row.not_after.toISOString(),
  hostCount,
});

export function serveCertificateAuthorities(routes: Routes, ctx: Context): void {
  routes.read(contract.listCertificateAuthorities, async ({ person, query }) => {
    const organizationID = person.organization.id;
    if (!(await isFeatureOn(ctx, organizationID, "LIST_CERT_AUTHORITIES")))
      throw new ApiError("ERR_NOT_FOUND");
    const { rows, metadata } = await listCas(ctx.reader, organizationID, query["filter.networkID"], query);
    const hostCounts = await countHosts(
      ctx.reader,
      rows.map(({ id }) => id),
    );
    return { data: rows.map((row) => toCertificateAuthority(row, hostCounts.get(row.id) ?? 0)), metadata };
  });
}
