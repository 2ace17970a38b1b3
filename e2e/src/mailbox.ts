import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const WAIT_MS_MAX = 15_000;

/** The link in the newest mail to an address, as its owner would find it in the local mailbox. */
export async function waitForLink(dataDir: string, email: string, { after = 0 } = {}): Promise<string> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const links = linksFor(dataDir, email);
    const newest = links.at(-1);
    if (newest && links.length > after) return newest;
    if (Date.now() > deadline) throw new Error(`No mail for ${email}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

export function linksFor(dataDir: string, email: string): string[] {
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
      return /https?:\/\/\S+magicLinkToken=[\w-]+/.exec(body)?.[0] ?? [];
    });
}
