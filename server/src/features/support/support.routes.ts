import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Person } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { queueMail } from "../mail/queue-mail.ts";

const REQUESTS_MAX = 10;

/** Describes the sender to the support team. */
function describeSender({ version }: Context, { email, type, role, organization }: Person): string[] {
  return [
    `From: ${email} (${type}, ${role})`,
    `Organization: ${organization.name}, ${organization.id}, plan ${organization.plan}`,
    `Version: ${version}`,
  ];
}

export function serveSupport(routes: Routes, ctx: Context, wakeOutbox: () => void): void {
  routes.writeUnaudited(
    contract.contactSupport,
    async ({ person, body, now }) => {
      const content = {
        subject: `[Support] ${body.subject}`,
        lines: [body.message, describeSender(ctx, person).join("\n")],
        replyTo: person.email,
      };
      await queueMail(ctx.unaudited, { kind: "support", email: ctx.config.supportEmail, content, now });
      wakeOutbox();
      return {};
    },
    { limits: ({ person }) => [{ name: "support:person", subject: person.id, max: REQUESTS_MAX }] },
  );
}
