/** Records the browsers and networks a user logs in from, and notifies them of a new one. */
import { isDeepStrictEqual } from "node:util";
import { describeBrowser } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import type { User } from "../../infrastructure/http/actor.ts";
import { addressSubject } from "../../infrastructure/http/rate-limit.ts";
import { newBrowserNotice } from "../../features/mail/notices.ts";
import { queueMail } from "../../features/mail/queue-mail.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";
import { SESSION_IDLE_DAYS_MAX } from "./identity/find-actor.ts";
import { completeSession } from "./sessions.service.ts";

interface Browser {
  browser: string;
  network: string;
}

/** An IPv4 /16 or an IPv6 /32, about one Internet provider: the browser alone does not identify a device. */
function networkOf(ip: string): string {
  const subject = addressSubject(ip);
  const separator = subject.includes(":") ? ":" : ".";
  return subject.split(separator).slice(0, 2).join(separator);
}

const toBrowser = (session: { address: string; user_agent: string | null }): Browser => ({
  browser: describeBrowser(session.user_agent),
  network: networkOf(session.address),
});

async function listKnownBrowsers(tx: Writer, person: User): Promise<Browser[]> {
  const known = await tx
    .selectFrom("known_browsers")
    .select(["browser", "network"])
    .where("user_id", "=", person.id)
    .execute();
  if (known.length > 0) return known;
  // Logins from before this table existed are known only by their sessions.
  const sessions = await tx
    .selectFrom("sessions")
    .select(["address", "user_agent"])
    .where("user_id", "=", person.id)
    .where("completed_at", "is not", null)
    .execute();
  return sessions.flatMap(({ address, user_agent }) =>
    address === null ? [] : [toBrowser({ address, user_agent })],
  );
}

async function saveBrowser(tx: Writer, person: User, browser: Browser, now: Date): Promise<void> {
  await tx
    .insertInto("known_browsers")
    .values({ organization_id: person.organization.id, user_id: person.id, ...browser, last_used_at: now })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "browser", "network"]).doUpdateSet({ last_used_at: now }),
    )
    .execute();
}

/**
 * Called when a second factor is presented. Notifies a returning user if the login comes from a new browser or network,
 * and returns whether it does. The caller has locked the user.
 */
export async function recordBrowser(
  { config }: Pick<Context, "config">,
  tx: Writer,
  { person, now }: { person: User; now: Date },
): Promise<boolean> {
  const { address, user_agent, completed_at } = await tx
    .selectFrom("sessions")
    .select(["address", "user_agent", "completed_at"])
    .where("id", "=", person.session.id)
    .executeTakeFirstOrThrow();
  if (address === null) return false;
  const current = toBrowser({ address, user_agent });
  const known = completed_at ? [current] : await listKnownBrowsers(tx, person);
  await saveBrowser(tx, person, current, now);
  if (!completed_at) await completeSession(tx, person.session.id, now);
  const isFirstLogin = known.length === 0;
  if (isFirstLogin || known.some((browser) => isDeepStrictEqual(browser, current))) return false;
  const content = newBrowserNotice({
    at: now,
    organization: person.organization.name,
    origin: { ip: address, userAgent: user_agent ?? undefined },
    appURL: config.appURL,
    email: person.email,
  });
  await queueMail(tx, { kind: "notice", email: person.email, content, now });
  return true;
}

/** After this time, the browser's session has expired too. */
export async function deleteUnusedBrowsers(db: UnauditedWriter, now: Date): Promise<void> {
  const idleSince = new Date(now.getTime() - SESSION_IDLE_DAYS_MAX * DAY_MS);
  await db.deleteFrom("known_browsers").where("last_used_at", "<=", idleSince).execute();
}
