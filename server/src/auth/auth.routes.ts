import * as contract from "@lightkeeper/contract";
import type { CurrentUser } from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import type { Actor } from "../http/credentials.ts";
import type { Limit } from "../http/rate-limit.ts";
import type { Routes } from "../http/route.ts";
import { refuseSignupIfClosed } from "./accounts.service.ts";
import { requestMagicLink, verifyMagicLink } from "./magic-links.service.ts";
import { signOut } from "./sessions.service.ts";
import { codeLimit, logIn } from "./totp.service.ts";

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

export function serveAuth(routes: Routes, ctx: Context, wakeOutbox: () => void): void {
  const perIP = (name: string, ip: string): Limit => ({
    name: `${name}:ip`,
    subject: ip,
    max: ctx.config.appEnv === "local" ? 3000 : 30,
  });
  const perAddress = (name: string, email: string): Limit => ({
    name: `${name}:address`,
    subject: email,
    max: 5,
  });

  routes.note(
    contract.signup,
    async ({ body, now }) => {
      await refuseSignupIfClosed(ctx.config, ctx.reader);
      await requestMagicLink(ctx, { kind: "signUp", email: body.email, plan: body.plan ?? null }, now);
      wakeOutbox();
      return {};
    },
    { limits: ({ body, ip }) => [perAddress("signup", body.email), perIP("signup", ip)] },
  );

  routes.note(
    contract.sendMagicLink,
    async ({ body, now }) => {
      await requestMagicLink(ctx, { kind: "signIn", email: body.email, plan: null }, now);
      wakeOutbox();
      return {};
    },
    { limits: ({ body, ip }) => [perAddress("magic-link", body.email), perIP("magic-link", ip)] },
  );

  routes.write(
    contract.verifyMagicLink,
    ({ body, now, ip, userAgent }, tx) =>
      verifyMagicLink(ctx, tx, { token: body.magicLinkToken, now, origin: { ip, userAgent } }),
    { limits: ({ ip }) => [perIP("verify-magic-link", ip)] },
  );

  routes.note(contract.signOut, async ({ presented, now }) => {
    await signOut(ctx, presented, now);
    return {};
  });

  routes.write(
    contract.logInWithTotp,
    ({ person, body, now }, tx) => logIn(ctx, tx, { person, code: body.code, now }),
    { limits: ({ person }) => [codeLimit(person)] },
  );

  routes.read(contract.whoami, ({ actor }) => Promise.resolve(toCurrentUser(actor)));
}
