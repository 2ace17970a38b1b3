import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const WAIT_MS_MAX = 15_000;

const MAGIC_LINK = /https?:\/\/\S+magicLinkToken=[\w-]+/;
const INVITATION = /https?:\/\/\S+\/auth\/invitation\?email=[\w.%-]+/;

/** The link in the newest mail to an address, as its owner would find it in the local mailbox. */
export const waitForLink = (dataDir: string, email: string, { after = 0 } = {}): Promise<string> =>
  waitFor(() => linksFor(dataDir, email), `No mail for ${email}`, after);

/** Where the mail of an invitation leads. */
export const waitForInvitation = (dataDir: string, email: string): Promise<string> =>
  waitFor(() => addressesIn(dataDir, email, INVITATION), `No invitation for ${email}`);

async function waitFor(find: () => string[], failure: string, after = 0): Promise<string> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const found = find();
    const newest = found.at(-1);
    if (newest && found.length > after) return newest;
    if (Date.now() > deadline) throw new Error(failure);
    await new Promise((done) => setTimeout(done, 50));
  }
}

export const linksFor = (dataDir: string, email: string): string[] => addressesIn(dataDir, email, MAGIC_LINK);

function addressesIn(dataDir: string, email: string, wanted: RegExp): string[] {
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
      return wanted.exec(body)?.[0] ?? [];
    });
}
