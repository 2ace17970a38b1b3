import * as contract from "@lightkeeper/contract";
import type { LoadNetworks } from "../../features/access/answers/loaded-network.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { requireValidGuarantee } from "./guarantee-input.ts";
import { evaluateRows, readGuaranteePage } from "./guarantee-list.ts";
import { type EvaluatedGuarantee, evaluateInNetworks, presentGuarantee } from "./guarantee-state.ts";
import { findGuarantee } from "./guarantees.queries.ts";
import {
  createGuarantee,
  deleteGuarantee,
  resumeGuarantee,
  suspendGuarantee,
  updateGuarantee,
} from "./guarantees.service.ts";

export function serveGuarantees(routes: Routes, ctx: Context, networks: LoadNetworks): void {
  serveReads(routes, ctx, networks);
  serveWrites(routes, networks);
}

function serveReads(routes: Routes, ctx: Context, networks: LoadNetworks): void {
  routes.read(contract.listGuarantees, async ({ actor, query, now }) => {
    const reader = { db: ctx.reader, networks, organizationID: actor.organization.id, now };
    const { rows, metadata } = await readGuaranteePage(reader, query);
    return { data: rows, metadata };
  });

  routes.read(contract.getGuarantee, async ({ actor, params, now }) => {
    const organizationID = actor.organization.id;
    const row = await findGuarantee(ctx.reader, organizationID, params.guaranteeID);
    const reader = { db: ctx.reader, networks, organizationID, now };
    const [guarantee] = await evaluateRows(reader, row ? [row] : []);
    if (!guarantee) throw new ApiError("ERR_NOT_FOUND");
    return guarantee;
  });

  routes.writeUnaudited(contract.checkGuarantee, async ({ actor, body }) => {
    const organizationID = actor.organization.id;
    await requireValidGuarantee(ctx.reader, organizationID, body);
    return evaluateInNetworks(await networks.all(organizationID), { id: "", ...body });
  });
}

function serveWrites(routes: Routes, networks: LoadNetworks): void {
  const presentAt = (now: Date) => (evaluated: EvaluatedGuarantee) => presentGuarantee(evaluated, now);

  routes.write(contract.createGuarantee, async ({ actor, body, now }, tx) =>
    mapOutcome(await createGuarantee(tx, { actor, body, now, networks }), presentAt(now)),
  );
  routes.write(contract.updateGuarantee, async ({ actor, params, body, now }, tx) =>
    mapOutcome(
      await updateGuarantee(tx, { actor, id: params.guaranteeID, body, now, networks }),
      presentAt(now),
    ),
  );
  routes.write(contract.deleteGuarantee, ({ actor, params }, tx) =>
    deleteGuarantee(tx, { actor, id: params.guaranteeID }),
  );
  routes.write(contract.suspendGuarantee, async ({ actor, params, body, now }, tx) =>
    mapOutcome(
      await suspendGuarantee(tx, { actor, id: params.guaranteeID, body, now, networks }),
      presentAt(now),
    ),
  );
  routes.write(contract.resumeGuarantee, async ({ actor, params, now }, tx) =>
    mapOutcome(await resumeGuarantee(tx, { actor, id: params.guaranteeID, now, networks }), presentAt(now)),
  );
}
