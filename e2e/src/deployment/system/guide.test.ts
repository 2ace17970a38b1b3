/** Runs the steps of docs/production.md on a new Debian system, with the page's own commands and files. */
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Client,
  createHostAndEnrollmentCodeV2,
  createNetwork,
  getHostV2,
  listNetworks,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeStory } from "../../story.ts";
import { type CodeBlock, fileNamedBy, readCodeBlocks } from "../code-blocks.ts";
import { readText } from "../deploy-files.ts";
import { type BootedSystem, bootSystem } from "./booted-system.ts";
import { recordFigure } from "./figures.ts";
import { createFirstAccount } from "./first-account.ts";
import { createHttpsClient } from "./https-client.ts";
import { type MailServer, startMailServer } from "./mail-server.ts";
import { type BuiltPackages, buildPackages, copyPackage, removePackages } from "./packages.ts";
import { STARTING } from "./starting.ts";

const DOMAIN = "nebula.example.com";
const HTTPS_PORT = 443;
const TRUST_ALL_OF_DEBIAN = "NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt";
const EMAIL = "you@example.com";

let packages: BuiltPackages;
let system: BootedSystem;
let mail: MailServer;
const blocks = readCodeBlocks("docs/production.md");
const executed = new Set<CodeBlock>();

const blocksOf = (section: string, language: string) =>
  blocks.filter((block) => block.section === section && block.language === language);

/** Runs the commands of a section and returns what they print. */
async function runCommands(section: string): Promise<string> {
  let output = "";
  for (const block of blocksOf(section, "sh")) {
    output += await system.run(`cd /root\n${block.text}`);
    executed.add(block);
  }
  return output;
}

/** Writes the files that a section shows, with the changes that the reader makes. */
function writeFiles(
  section: string,
  language: string,
  change: (text: string) => string = (text) => text,
): void {
  for (const block of blocksOf(section, language)) {
    const path = fileNamedBy(block);
    if (path === undefined) continue;
    mkdirSync(dirname(join(system.root, path)), { recursive: true });
    // Keeps the owner and the mode of an existing file, as an editor does.
    writeFileSync(join(system.root, path), change(block.text));
    executed.add(block);
  }
}

const readLog = () => system.run("journalctl -u lightkeeper --no-pager -o cat");
const readSetupCode = async () => /Setup code .*: (\S+)/.exec(await readLog())?.[1];
const ca = () => readFileSync(join(system.root, "usr/local/share/ca-certificates/lightkeeper.crt"), "utf8");
const connect = (...tokens: string[]) =>
  createHttpsClient({ url: `https://${DOMAIN}`, port: HTTPS_PORT, ca: ca() }, ...tokens);

beforeAll(async () => {
  packages = buildPackages();
  mail = await startMailServer();
  system = await bootSystem();
  // The reader's DNS.
  writeFileSync(join(system.root, "etc/hosts"), `127.0.0.1 localhost ${DOMAIN}\n`);
});
afterAll(async () => {
  await system?.stop();
  await mail?.stop();
  if (packages) removePackages(packages);
});

describeStory("the production guide", () => {
  let owner: Client;
  let hostID: string;

  it("installs the server, which doesn't start without settings", async () => {
    copyPackage(packages.server, system.root);
    expect(blocksOf("Build the packages", "sh")[0]?.text).toBe("npm ci\nnpm run package\n");
    await runCommands("Install the server");
    expect(await system.run("systemctl is-active lightkeeper || true")).toBe("inactive\n");
    expect(await system.run("stat -c '%a %U:%G' /etc/lightkeeper/lightkeeper.env")).toBe(
      "640 root:lightkeeper\n",
    );
  });

  it("runs the server as a service", async () => {
    writeFiles("Install the server", "ini", (text) => text.replace(/^SMTP_URL=.*$/m, `SMTP_URL=${mail.url}`));
    const log = await runCommands("Run as a systemd service");
    expect(log).toContain("systemd[1]: Started lightkeeper.service");
    await expect.poll(readSetupCode, STARTING).toMatch(/^\w{4}(-\w{4}){5}$/);
    for (const block of blocksOf("Run as a systemd service", "ini"))
      expect(readFileSync(join(system.root, fileNamedBy(block)!), "utf8")).toBe(block.text);
    const security = await system.run("systemd-analyze security lightkeeper --no-pager");
    const exposure = /level for .*: (\S+)/.exec(security)?.[1];
    expect(readText("docs/production.md")).toContain(`rates its exposure at ${exposure} of 10`);
    recordFigure("guide", "exposure of the running service", `${exposure} of 10`);
  });

  it("is reached through HTTPS with the internal CA of Caddy", async () => {
    expect(readText("docs/production.md")).toContain("Add the line `tls internal` after `reverse_proxy`");
    writeFiles("TLS", "text", (text) => text.replace(/^.*reverse_proxy.*$/m, "$&\n  tls internal"));
    await system.run("systemctl reload caddy");
    const certificate = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt";
    await system.run(`until test -e ${certificate}; do sleep 0.2; done`);
    await runCommands("Without a public domain name");
    expect(JSON.parse(await runCommands("TLS"))).toMatchObject({ data: { status: "ok" } });
  });

  it("sends email", async () => {
    expect(await runCommands("Test the mail server")).toContain(`accepted the message to ${EMAIL}`);
    await mail.waitFor(EMAIL, /Subject: .+/);
  });

  it("signs up the first person with the setup code", async () => {
    const setupCode = (await readSetupCode())!;
    await expect(
      createFirstAccount({ email: EMAIL, setupCode: "AAAA-AAAA-AAAA-AAAA", mail, connect }),
    ).rejects.toThrow();
    owner = await createFirstAccount({ email: EMAIL, setupCode, mail, connect });
    await owner(createNetwork, { body: { name: "Harbour", cidr: "10.44.0.0/24" } });
  });

  it("enrolls a host with the agent's package", async () => {
    copyPackage(packages.agent, system.root);
    await system.run("apt-get install -y /root/lightkeeper-agent_*.deb nebula");
    writeFiles("Without a public domain name", "ini");
    const { data } = await owner(listNetworks, {});
    const body = { name: "lighthouse-1", networkID: data[0]!.id, isLighthouse: false, isRelay: false };
    const { host, enrollmentCode } = await owner(createHostAndEnrollmentCodeV2, { body });
    hostID = host.id;
    const enroll = `lightkeeper-agent enroll --server https://${DOMAIN} --code ${enrollmentCode.code}`;
    await system.run(
      `${TRUST_ALL_OF_DEBIAN} ${enroll} && systemctl daemon-reload && systemctl start lightkeeper-agent`,
    );
    const isSeen = async () => (await owner(getHostV2, { params: { hostID } })).metadata.lastSeenAt;
    await expect.poll(isSeen, STARTING).not.toBeNull();
  });

  it("backs up every night, and restores", async () => {
    expect(await runCommands("Schedule backups")).toMatch(/-rw------- 1 lightkeeper .*\.export\n$/);
    expect(await system.run("systemctl is-active lightkeeper-backup.timer")).toBe("active\n");
    await owner(createNetwork, { body: { name: "After the backup", cidr: "10.45.0.0/24" } });
    const restore = readCodeBlocks("docs/backup-and-restore.md").find(
      ({ section }) => section === "Restore",
    )!;
    const newest = (await system.run("ls -t /var/backups/lightkeeper/*.export")).split("\n")[0]!;
    const script = restore.text
      .replace("/var/backups/lightkeeper/today.export", newest)
      .replace(newest, `${newest} --replace --allow-older`);
    await system.run(`cd /root\n${script}`);
    const names = () =>
      owner(listNetworks, {}).then(
        ({ data }) => data.map(({ name }) => name),
        () => [],
      );
    await expect.poll(names, STARTING).toEqual(["Harbour"]);
  });

  it("has no step that wasn't run, except for those of nginx and the executables", () => {
    const isOptional = ({ section, language, text }: CodeBlock) =>
      ["Build the packages", "Agent executables"].includes(section) ||
      text.includes("ssl_certificate") ||
      (section === "Create the first account" && language === "text") ||
      (section === "Run as a systemd service" && language === "ini");
    expect(blocks.filter((block) => !executed.has(block) && !isOptional(block))).toEqual([]);
    recordFigure("guide", "code blocks of the page that were executed", String(executed.size));
  });
});
