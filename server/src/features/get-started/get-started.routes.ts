import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findProgress } from "./get-started.queries.ts";

export function serveGetStarted(routes: Routes, ctx: Context): void {
  routes.read(contract.getGetStarted, ({ person }) => findProgress(ctx.reader, person.organization.id));
}
