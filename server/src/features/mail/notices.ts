/** The text of every email about a security event. */
import { describeBrowser } from "@lightkeeper/contract";
import type { MailContent } from "../../infrastructure/db/work-tables.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";

interface SecurityEvent {
  at: Date;
  organization: string;
  /** Undefined for commands on the server. */
  origin?: Origin;
}

const utc = new Intl.DateTimeFormat("en-US", {
  dateStyle: "long",
  timeStyle: "short",
  hourCycle: "h23",
  timeZone: "UTC",
});
const formatTime = (at: Date) => `${utc.format(at)} UTC`;

function describeEvent({ at, organization, origin }: SecurityEvent): string {
  const from = origin
    ? [`IP address: ${origin.ip}`, `Browser: ${describeBrowser(origin.userAgent)}`]
    : ["IP address: none (command on the server)"];
  return [`Time: ${formatTime(at)}`, ...from, `Organization: ${organization}`].join("\n");
}

interface WrongCodes extends SecurityEvent {
  email: string;
  /** `count` wrong codes within `days` days; codes are rejected until `until`. */
  count: number;
  days: number;
  until: Date;
}

const within = (days: number) => (days === 1 ? "24 hours" : `${days} days`);

export function wrongCodesNotice(event: WrongCodes): MailContent {
  const { email, count, days, until } = event;
  return {
    subject: "Too many wrong authenticator codes for your Lightkeeper account",
    lines: [
      `${count} wrong authenticator codes were entered for ${email} within ${within(days)}. No codes are accepted until ${formatTime(until)}.`,
      describeEvent(event),
      "If this wasn’t you, someone opened a login link from your mailbox or used a browser where you were logged in. Change the password of your email account, then ask an owner of your organization for help.",
      "If this was you, check the clock on your phone. To log in sooner, ask the server’s operator to reset your second factor.",
    ],
  };
}

export function wrongCodesNoticeForOwner(event: WrongCodes): MailContent {
  const { email, count, days, until } = event;
  return {
    subject: `Too many wrong authenticator codes for ${email}`,
    lines: [
      `${count} wrong authenticator codes were entered for ${email}, a member of your organization, within ${within(days)}. Codes from this member aren’t accepted until ${formatTime(until)}.`,
      describeEvent(event),
      `Ask ${email} whether they entered the codes. If they didn’t, someone else can read their email or is using a browser where they were logged in. Remove the member until their email account is secure, then invite them again.`,
      "If they did, the server’s operator can reset their second factor.",
    ],
  };
}

interface AccountEvent extends SecurityEvent {
  appURL: string;
  email: string;
}

const settingsLink = (appURL: string) => `${appURL}/settings/user`;

export function newAuthenticatorNotice(event: AccountEvent & { name: string }): MailContent {
  const { appURL, email, name } = event;
  return {
    subject: "New authenticator for your Lightkeeper account",
    lines: [
      `The authenticator “${name}” was added to your account ${email}. Its codes can now be used to log in.`,
      describeEvent(event),
      `If this wasn’t you, log out everywhere and delete the authenticator at ${settingsLink(appURL)}, change the password of your email account, and contact an owner of your organization.`,
    ],
  };
}

export function recoveryCodeUsedNotice(event: AccountEvent & { unusedCount: number }): MailContent {
  const { appURL, email, unusedCount } = event;
  const left = unusedCount === 1 ? "1 unused recovery code" : `${unusedCount} unused recovery codes`;
  return {
    subject: "Recovery code used for your Lightkeeper account",
    lines: [
      `Someone logged in to your account ${email} with a recovery code. You have ${left} left.`,
      describeEvent(event),
      `If you lost your authenticator, add a new one and delete the lost one at ${settingsLink(appURL)}.`,
      `If this wasn’t you, log out everywhere and generate new recovery codes at ${settingsLink(appURL)}, change the password of your email account, and contact an owner of your organization.`,
    ],
  };
}

export function newBrowserNotice(event: AccountEvent): MailContent {
  const { appURL, email } = event;
  return {
    subject: "Login to your Lightkeeper account from a new browser",
    lines: [
      `Someone logged in to your account ${email} from a browser or network that you haven’t used before.`,
      describeEvent(event),
      `If this was you, you don’t need to do anything. If it wasn’t, log out everywhere and delete authenticators you don’t recognize at ${settingsLink(appURL)}, change the password of your email account, and contact an owner of your organization.`,
    ],
  };
}

/** Links to the API key: people who use single sign-on have no user settings page. */
export function newApiKeyNotice(event: AccountEvent & { id: string; name: string }): MailContent {
  const { appURL, email, id, name } = event;
  return {
    subject: "New API key in Lightkeeper",
    lines: [
      `The API key “${name}” was created by your account ${email}.`,
      describeEvent(event),
      `If this wasn’t you, delete the API key at ${appURL}/settings/api-keys/${id}, log out everywhere, and contact an owner of your organization.`,
    ],
  };
}

export function secondFactorResetNotice(event: Omit<AccountEvent, "appURL">): MailContent {
  return {
    subject: "Your second factor for Lightkeeper was reset",
    lines: [
      `The server’s operator removed all authenticators from your account ${event.email} and logged you out everywhere. You’ll set up a new authenticator at your next login.`,
      describeEvent(event),
      "If you didn’t ask for this, contact the server’s operator and change the password of your email account. Until you log in, anyone who can read your email can set up an authenticator.",
    ],
  };
}
