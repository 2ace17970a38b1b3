import * as contract from "@lightkeeper/contract";
import type { CurrentUser } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Actor } from "../../infrastructure/http/actor.ts";
import { type Limit, limitByIP } from "../../infrastructure/http/rate-limit.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { queueMagicLink } from "../../features/mail/queue-mail.ts";
import { requireSignupOpen } from "./accounts.service.ts";
import {
  acceptInvitationByLink,
  createOwnOrganization,
  declineInvitationByLink,
  listInvitationsByLink,
} from "./invitation-links.service.ts";
import { codeLimits } from "./code-limits.service.ts";
import { verifyMagicLink } from "./magic-links.service.ts";
import { requireSetupCode } from "./setup-code.service.ts";
import { signOut } from "./sessions.service.ts";
import { logIn } from "./totp.service.ts";

function toCurrentUser(actor: Actor): CurrentUser {
  const { id, name, plan, createdAt } = actor.organization;
  const organization = { id, name, plan, createdAt: createdAt.toISOString() };
  if (actor.type === "apiKey")
    return { actorType: "apiKey", actor: { id: actor.id, name: actor.name, type: "apiKey" }, organization };
  const { id: actorID, email, role } = actor;
  if (actor.type === "oidcUser") {
    const { type, issuer, subject } = actor;
    return { actorType: type, actor: { id: actorID, email, issuer, subject, type, role }, organization };
  }
  return {
    actorType: "user",
    actor: {
      id: actorID,
      email,
      type: "user",
      role,
      hasTOTPAuthenticator: actor.hasTotpAuthenticator,
      createdAt: actor.createdAt.toISOString(),
    },
    organization,
  };
}

const perIP = ({ config }: Context, name: string, ip: string) => limitByIP(config, name, ip);

/** Serves invited people who have no account yet. */
export function serveInvitationLinks(routes: Routes, ctx: Context): void {
  const options = { limits: ({ ip }: { ip: string }) => [perIP(ctx, "invitation", ip)] };

  routes.writeUnaudited(
    contract.listInvitationsByLink,
    ({ body, now }) => listInvitationsByLink(ctx, { token: body.magicLinkToken, now }),
    options,
  );
  routes.write(
    contract.acceptInvitation,
    ({ params, body, now, ip, userAgent }, tx) =>
      acceptInvitationByLink(tx, {
        token: body.magicLinkToken,
        now,
        origin: { ip, userAgent },
        id: params.invitationID,
        role: body.role,
      }),
    options,
  );
  routes.write(
    contract.declineInvitationByLink,
    ({ params, body, now }, tx) =>
      declineInvitationByLink(tx, { token: body.magicLinkToken, now, id: params.invitationID }),
    options,
  );
  routes.write(
    contract.createOwnOrganization,
    ({ body, now, ip, userAgent }, tx) =>
      createOwnOrganization(ctx, tx, { token: body.magicLinkToken, now, origin: { ip, userAgent } }),
    options,
  );
}

const perAddress = (name: string, email: string): Limit => ({
  name: `${name}:address`,
  subject: email,
  max: 5,
});

export function serveAuth(routes: Routes, ctx: Context, wakeOutbox: () => void): void {
  serveMagicLinks(routes, ctx, wakeOutbox);

  routes.write(
    contract.logInWithTotp,
    ({ person, body, ip, userAgent, now }, tx) =>
      logIn(ctx, tx, { person, code: body.code, origin: { ip, userAgent }, now }),
    { limits: ({ person }) => codeLimits(person.id) },
  );

  routes.writeUnaudited(contract.signOut, async ({ presented, now }) => {
    await signOut(ctx, presented, now);
    return {};
  });

  routes.read(contract.whoami, ({ actor }) => Promise.resolve(toCurrentUser(actor)));
}

function serveMagicLinks(routes: Routes, ctx: Context, wakeOutbox: () => void): void {
  routes.writeUnaudited(
    contract.signup,
    async ({ body, now }) => {
      await requireSignupOpen(ctx.config, ctx.reader);
      const setupCodeHash = await requireSetupCode(ctx, body.setupCode);
      await queueMagicLink(ctx.unaudited, {
        kind: "signUp",
        email: body.email,
        plan: body.plan ?? null,
        setupCodeHash,
        now,
      });
      wakeOutbox();
      return {};
    },
    {
      limits: ({ ip }) => [perIP(ctx, "signup", ip)],
      bodyLimits: ({ body }) => [perAddress("signup", body.email)],
    },
  );

  routes.writeUnaudited(
    contract.sendMagicLink,
    async ({ body: { email }, now }) => {
      // Known and unknown addresses take the same statements, so that the response time reveals nothing.
      await queueMagicLink(ctx.unaudited, { kind: "signIn", email, plan: null, setupCodeHash: null, now });
      wakeOutbox();
      return {};
    },
    {
      limits: ({ ip }) => [perIP(ctx, "magic-link", ip)],
      bodyLimits: ({ body }) => [perAddress("magic-link", body.email)],
    },
  );

  routes.write(
    contract.verifyMagicLink,
    ({ body, now, ip, userAgent }, tx) =>
      verifyMagicLink(ctx, tx, { token: body.magicLinkToken, now, origin: { ip, userAgent } }),
    { limits: ({ ip }) => [perIP(ctx, "verify-magic-link", ip)] },
  );
}
