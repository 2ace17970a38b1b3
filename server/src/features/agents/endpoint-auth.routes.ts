import * as contract from "@lightkeeper/contract";
import type { Output } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { limitByIP } from "../../infrastructure/http/rate-limit.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import type { EndpointRequest } from "../../nouns/device-requests/device-requests.service.ts";
import type { IdentityProviders } from "../../nouns/sso/identity-providers.ts";
import {
  findDevice,
  getEndpointRequest,
  pollEndpointAuth,
  startEndpointAuth,
} from "./endpoint-auth.service.ts";
import { beginEndpointSignIn, finishEndpointSignIn } from "./endpoint-sign-ins.service.ts";
import { verificationCodeOf } from "./verification-code.ts";

const pageStates = {
  WAITING: "open",
  STARTED: "open",
  PENDING_APPROVAL: "pendingApproval",
  REJECTED: "rejected",
  COMPLETED: "completed",
} as const satisfies Record<EndpointRequest["state"], Output<typeof contract.getEndpointSignIn>["state"]>;

export function serveEndpointAuth(routes: Routes, ctx: Context, providers: IdentityProviders): void {
  const perIP =
    (name: string) =>
    ({ ip }: { ip: string }) => [limitByIP(ctx.config, name, ip)];

  routes.writeUnaudited(contract.startEndpointAuth, ({ now }) => startEndpointAuth(ctx, now), {
    limits: perIP("preauth"),
  });
  routes.read(contract.pollEndpointAuth, ({ query, now }) => pollEndpointAuth(ctx, query.pollToken, now));

  routes.read(contract.getEndpointSignIn, async ({ query, now }) => {
    const request = await getEndpointRequest(ctx, query.loginToken, now);
    const device = await findDevice(ctx, request);
    return {
      device: device ? { name: device.name, organizationName: device.organization_name } : null,
      verificationCode: verificationCodeOf(query.loginToken),
      state: pageStates[request.state],
    };
  });
  routes.writeUnaudited(
    contract.startEndpointSignIn,
    ({ body: { loginToken, organization }, now }) =>
      beginEndpointSignIn(ctx, providers, { loginToken, organization, now }),
    { limits: perIP("endpoint-start") },
  );
  routes.writeUnaudited(
    contract.verifyEndpointSignIn,
    async ({ body, ip, now }) => {
      const finished = await finishEndpointSignIn(ctx, providers, { callback: body, ip, now });
      const { state, email } = finished;
      if (state === "pendingApproval") return { state, email, expiresAt: finished.expiresAt.toISOString() };
      return { state, email, deviceName: finished.name, validUntil: finished.validUntil.toISOString() };
    },
    { limits: perIP("endpoint-verify") },
  );
}
