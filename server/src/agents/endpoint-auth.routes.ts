import * as contract from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import type { Limit } from "../http/rate-limit.ts";
import type { Routes } from "../http/route.ts";
import type { IdentityProviders } from "../sso/identity-providers.ts";
import {
  findDevice,
  getEndpointRequest,
  pollEndpointAuth,
  startEndpointAuth,
} from "./endpoint-auth.service.ts";
import { beginEndpointSignIn, finishEndpointSignIn } from "./endpoint-sign-ins.service.ts";

const ATTEMPTS_MAX = 30;
const LOCAL_FACTOR = 100;

export function serveEndpointAuth(routes: Routes, ctx: Context, providers: IdentityProviders): void {
  const max = ATTEMPTS_MAX * (ctx.config.appEnv === "local" ? LOCAL_FACTOR : 1);
  const perIP =
    (name: string) =>
    ({ ip }: { ip: string }): Limit[] => [{ name: `${name}:ip`, subject: ip, max }];

  routes.note(contract.startEndpointAuth, ({ now }) => startEndpointAuth(ctx, now), {
    limits: perIP("preauth"),
  });
  routes.read(contract.pollEndpointAuth, ({ query, now }) => pollEndpointAuth(ctx, query.pollToken, now));

  routes.read(contract.getEndpointSignIn, async ({ query, now }) => {
    const request = await getEndpointRequest(ctx, query.loginToken, now);
    const device = await findDevice(ctx, request);
    return {
      device: device ? { name: device.name, organizationName: device.organization_name } : null,
      isCompleted: request.state === "COMPLETED",
    };
  });
  routes.note(
    contract.startEndpointSignIn,
    ({ body: { loginToken, organization }, now }) =>
      beginEndpointSignIn(ctx, providers, { loginToken, organization, now }),
    { limits: perIP("endpoint-start") },
  );
  routes.note(
    contract.verifyEndpointSignIn,
    async ({ body, ip, now }) => {
      const { name, email, validUntil } = await finishEndpointSignIn(ctx, providers, {
        callback: body,
        ip,
        now,
      });
      return { deviceName: name, email, validUntil: validUntil.toISOString() };
    },
    { limits: perIP("endpoint-verify") },
  );
}
