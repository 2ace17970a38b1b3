import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const WAIT_MS_MAX = 15_000;

const MAGIC_LINK = /https?:\/\/\S+magicLinkToken=[\w-]+/;
const INVITATION = /https?:\/\/\S+\/auth\/invitation\?email=[\w.%-]+/;

/** Waits for the link in the newest email to an address in the local mailbox. */
export const waitForLink = (dataDir: string, email: string, { after = 0 } = {}): Promise<string> =>
  waitFor(() => linksFor(dataDir, email), `No mail for ${email}`, after);

/** Waits for the link in an invitation email. */
export const waitForInvitation = (dataDir: string, email: string): Promise<string> =>
  waitFor(() => findLinks(dataDir, email, INVITATION), `No invitation for ${email}`);

async function waitFor(find: () => string[], failure: string, after = 0): Promise<string> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const links = find();
    const newest = links.at(-1);
    if (newest && links.length > after) return newest;
    if (Date.now() > deadline) throw new Error(failure);
    await new Promise((done) => setTimeout(done, 50));
  }
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
