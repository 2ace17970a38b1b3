import * as contract from "@lightkeeper/contract";
import { releaseOf } from "../../infrastructure/config/version.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { done } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import { parse } from "../../infrastructure/http/parse.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import {
  CODE_LIFETIME_SECONDS,
  createEnrollmentCode,
} from "../../nouns/enrollment-codes/enrollment-codes.service.ts";
import { lockHostAlone } from "../../nouns/hosts/host-changes.service.ts";
import { fromV1, fromV2 } from "../../nouns/hosts/host-input.ts";
import { createPresentation } from "../../nouns/hosts/host-presentation.ts";
import { createHost, type HostInput } from "../../nouns/hosts/hosts.service.ts";
import type { ControlPlane } from "../agents/control-plane.ts";
import { readRequestBody } from "../agents/json-body.ts";
import { readUserAgent } from "../agents/user-agent.ts";
import { createEnrollment } from "./enroll-hosts.service.ts";

interface Call {
  actor: Actor;
  now: Date;
}

export function serveEnrollment(
  routes: Routes,
  ctx: Context,
  control: Pick<ControlPlane, "provision">,
): void {
  const enroll = createEnrollment(ctx, control);
  routes.receive(contract.enrollHost, async ({ now, ip }, request) => {
    const { value } = await readRequestBody(contract.enrollHost, request);
    const body = parse(contract.enrollHost.body, value);
    return enroll(body, { client: readUserAgent(request.headers["user-agent"]), now, ip });
  });
  serveEnrollmentCodes(routes, ctx);
}

function serveEnrollmentCodes(routes: Routes, ctx: Context): void {
  const { toHost, toHostV2 } = createPresentation(releaseOf(ctx.version));
  const createWithCode = async (
    tx: Writer,
    { actor, now }: Call,
    host: HostInput,
    { apiVersion, lifetimeSeconds }: { apiVersion: "v1" | "v2"; lifetimeSeconds: number },
  ) => {
    const author = authorOf(actor);
    const { row, entries } = await createHost(ctx, tx, { author, now, host, apiVersion });
    const code = await createEnrollmentCode(tx, { author, now, host: row, lifetimeSeconds });
    return { row, enrollmentCode: code.enrollmentCode, entries: [code.entry, ...entries] as const };
  };

  routes.write(contract.createHostAndEnrollmentCode, async (call, tx) => {
    const options = { apiVersion: "v1", lifetimeSeconds: CODE_LIFETIME_SECONDS } as const;
    const { row, enrollmentCode, entries } = await createWithCode(tx, call, fromV1(call.body), options);
    return done({ host: toHost(row), enrollmentCode }, ...entries);
  });
  routes.write(contract.createHostAndEnrollmentCodeV2, async (call, tx) => {
    const { codeLifetimeSeconds: lifetimeSeconds, ...body } = call.body;
    const options = { apiVersion: "v2", lifetimeSeconds } as const;
    const { row, enrollmentCode, entries } = await createWithCode(tx, call, fromV2(body), options);
    return done({ host: toHostV2(row), enrollmentCode }, ...entries);
  });
  routes.write(contract.createEnrollmentCode, async ({ actor, now, params }, tx) => {
    const author = authorOf(actor);
    const host = await lockHostAlone(tx, author.organizationID, params.hostID);
    const options = { author, now, host, lifetimeSeconds: CODE_LIFETIME_SECONDS };
    const { enrollmentCode, entry } = await createEnrollmentCode(tx, options);
    return done(enrollmentCode, entry);
  });
}
