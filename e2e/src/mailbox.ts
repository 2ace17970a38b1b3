import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

const MAGIC_LINK = /https?:\/\/\S+magicLinkToken=[\w-]+/;
const INVITATION = /https?:\/\/\S+\/auth\/invitation\?email=[\w.%-]+/;

/** Waits for the link in the newest email to an address in the local mailbox. */
export const waitForLink = (dataDir: string, email: string, { after = 0 } = {}): Promise<string> =>
  waitFor(() => linksFor(dataDir, email), `there is an email to ${email}`, after);

/** Waits for the link in an invitation email. */
export const waitForInvitation = (dataDir: string, email: string): Promise<string> =>
  waitFor(() => findLinks(dataDir, email, INVITATION), `there is an invitation for ${email}`);

async function waitFor(find: () => string[], description: string, after = 0): Promise<string> {
  let links: string[] = [];
  const hasNew = () => (links = find()).length > after;
  await until(description, hasNew, { everyMs: 50 });
  return links.at(-1)!;
}

export const linksFor = (dataDir: string, email: string): string[] => findLinks(dataDir, email, MAGIC_LINK);

function findLinks(dataDir: string, email: string, pattern: RegExp): string[] {
  const directory = join(dataDir, "mail");
  let files: string[] = [];
  try {
    files = readdirSync(directory).sort();
  } catch {
    return [];
  }
  return files
    .map((file) => readFileSync(join(directory, file), "utf8"))
    .filter((mail) => mail.includes(`To: ${email}\n`))
    .flatMap((mail) => {
      const body = mail.replace(/=\n/g, "").replace(/=3D/g, "=");
      return pattern.exec(body)?.[0] ?? [];
    });
}
