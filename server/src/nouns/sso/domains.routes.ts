import * as contract from "@lightkeeper/contract";
import type { OrganizationDomain } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { authorOf } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import {
  addDomain,
  type DomainRow,
  listDomains,
  recordNameOf,
  recordValueOf,
  removeDomain,
  verifyDomain,
} from "./domains.service.ts";
import type { ResolveTxt } from "./txt-records.ts";

const LOOKUPS_MAX = 30;

function presentDomain(
  { trustedDomains }: Pick<Context["config"], "trustedDomains">,
  row: DomainRow,
): OrganizationDomain {
  const configured = trustedDomains.get(row.domain);
  const belongsToOther = configured !== undefined && configured !== row.organization_id;
  const verifiedAt = row.verified_at?.toISOString() ?? null;
  return {
    domain: row.domain,
    state: verifiedAt === null ? "pending" : belongsToOther ? "takenElsewhere" : "verified",
    record: { type: "TXT", name: recordNameOf(row.domain), value: recordValueOf(row) },
    createdAt: row.created_at.toISOString(),
    verifiedAt,
  };
}

export function serveDomains(routes: Routes, ctx: Context, resolveTxt: ResolveTxt): void {
  const { trustedDomains } = ctx.config;
  const toDomain = (row: DomainRow) => presentDomain(ctx.config, row);
  const configuredDomains = (organizationID: string): OrganizationDomain[] =>
    [...trustedDomains].flatMap(([domain, id]) =>
      id === organizationID
        ? [{ domain, state: "verified", record: null, createdAt: null, verifiedAt: null }]
        : [],
    );

  routes.read(contract.listDomains, async ({ person }) => {
    const { id } = person.organization;
    const configured = configuredDomains(id);
    const names = new Set(configured.map(({ domain }) => domain));
    const rows = await listDomains(ctx.reader, id);
    return [...configured, ...rows.filter(({ domain }) => !names.has(domain)).map(toDomain)];
  });
  routes.write(contract.addDomain, async ({ person, body, now }, tx) =>
    mapOutcome(await addDomain(ctx, tx, { author: authorOf(person), domain: body.domain, now }), toDomain),
  );
  routes.writeUnaudited(
    contract.verifyDomain,
    async ({ person, params, ip, now }) =>
      toDomain(
        await verifyDomain(ctx, resolveTxt, {
          author: { ...authorOf(person), address: ip },
          domain: params.domain,
          now,
        }),
      ),
    {
      limits: ({ person }) => [
        { name: "verify-domain:organization", subject: person.organization.id, max: LOOKUPS_MAX },
      ],
    },
  );
  routes.write(contract.removeDomain, ({ person, params }, tx) =>
    removeDomain(tx, { author: authorOf(person), domain: params.domain }),
  );
}
