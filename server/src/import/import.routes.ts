import * as contract from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import type { Routes } from "../http/route.ts";
import { applyImport, planImport } from "./import.service.ts";

export function serveImport(routes: Routes, ctx: Context): void {
  routes.note(contract.planImport, ({ actor, now, body }) => planImport(ctx, { actor, now, request: body }));
  routes.write(contract.applyImport, ({ actor, now, body }, tx) =>
    applyImport(ctx, tx, { actor, now, planToken: body.planToken }),
  );
}
