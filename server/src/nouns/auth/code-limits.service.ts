/** Limits wrong authenticator codes, and notifies people when a daily or weekly limit is reached. */
import type { Writer } from "../../infrastructure/db/client.ts";
import type { User } from "../../infrastructure/http/actor.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";
import {
  countAttempts,
  type Limit,
  listReachedLimits,
  resetLimits,
} from "../../infrastructure/http/rate-limit.ts";
import { wrongCodesNotice, wrongCodesNoticeForOwner } from "../../features/mail/notices.ts";
import { queueMail } from "../../features/mail/queue-mail.ts";
import { DAY_SECONDS } from "../../infrastructure/time/durations.ts";
import { listOwnerEmails } from "../members/owners.service.ts";

const longLimits = (userID: string) => [
  { name: "totp:day", subject: userID, max: 30, windowSeconds: DAY_SECONDS },
  { name: "totp:week", subject: userID, max: 60, windowSeconds: 7 * DAY_SECONDS },
];

/** Counted before a code is checked and refunded if it is right, so that concurrent guesses stay within the limits. */
export const codeLimits = (userID: string): Limit[] => [
  { name: "totp", subject: userID, max: 10 },
  ...longLimits(userID),
];

const noticeLimit = (limit: Limit): Limit => ({ ...limit, name: `${limit.name}:notice`, max: 1 });

/** Called after a wrong code. Notifies the user and the owners once when a daily or weekly limit is reached. */
export async function notifyOfReachedLimit(
  tx: Writer,
  { person, origin, now }: { person: User; origin: Origin; now: Date },
): Promise<void> {
  const reached = await listReachedLimits(tx, now, longLimits(person.id));
  const unreported: typeof reached = [];
  for (const reachedLimit of reached)
    if ((await countAttempts(tx, now, [noticeLimit(reachedLimit.limit)])) === undefined)
      unreported.push(reachedLimit);
  // The notice of the longest limit covers a shorter one that the same code reached.
  const longest = unreported.at(-1);
  if (!longest) return;
  const { max, windowSeconds } = longest.limit;
  const event = {
    at: now,
    organization: person.organization.name,
    origin,
    email: person.email,
    count: max,
    days: windowSeconds / DAY_SECONDS,
    until: longest.until,
  };
  await queueMail(tx, { kind: "notice", email: person.email, content: wrongCodesNotice(event), now });
  const content = wrongCodesNoticeForOwner(event);
  for (const email of await listOwnerEmails(tx, person.organization.id))
    if (email !== person.email) await queueMail(tx, { kind: "notice", email, content, now });
}

/** After a reset of the second factor, earlier wrong codes must not lock out the new authenticator. */
export async function resetCodeLimits(tx: Writer, userID: string): Promise<void> {
  const limits = codeLimits(userID);
  await resetLimits(tx, [...limits, ...limits.map(noticeLimit)]);
}
