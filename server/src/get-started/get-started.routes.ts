import * as contract from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import type { Routes } from "../http/route.ts";
import { findProgress } from "./get-started.queries.ts";

export function serveGetStarted(routes: Routes, ctx: Context): void {
  routes.read(contract.getGetStarted, ({ person }) => findProgress(ctx.reader, person.organization.id));
}
