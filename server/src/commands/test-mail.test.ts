import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { captureCommand } from "./testing.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-test-mail-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (smtpURL: string, email: string) =>
  captureCommand(
    { DATA_DIR: dataDir, DATABASE_URL: "", SECRET_KEY: "", SMTP_URL: smtpURL },
    "test-mail",
    email,
  );

/** Runs the work with a mail server that knows one password; returns the messages that it received. */
async function withMailServer(work: (port: number) => Promise<void>): Promise<string[]> {
  const received: string[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) =>
      password === "right" ? done(null, { user: "mailer" }) : done(new Error("Wrong password")),
    onRcptTo: ({ address }, _session, done) =>
      address.endsWith("@example.com") ? done() : done(new Error("Relaying denied")),
    onData(stream, _session, done) {
      let raw = "";
      stream.on("data", (chunk: Buffer) => (raw += chunk.toString()));
      stream.on("end", () => {
        received.push(raw);
        done(null, "queued as 4XqZ");
      });
    },
  });
  const listener = smtp.listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  try {
    await work((listener.address() as AddressInfo).port);
  } finally {
    await new Promise<void>((resolve) => smtp.close(resolve));
  }
  return received;
}

it("sends a message and prints the response of the mail server", async () => {
  const received = await withMailServer(async (port) => {
    expect(await run(`smtp://mailer:right@127.0.0.1:${port}`, "Ada@example.com")).toBe(
      `127.0.0.1:${port} accepted the message to ada@example.com: 250 queued as 4XqZ\n`,
    );
  });
  expect(received).toHaveLength(1);
  expect(received[0]).toContain("Subject: Test message from Lightkeeper");
});

it("fails with the reason that the mail server gives, without the password", async () => {
  const received = await withMailServer(async (port) => {
    const failed = run(`smtp://mailer:guess@127.0.0.1:${port}`, "ada@example.com");
    await expect(failed).rejects.toThrow(`Can’t send email through 127.0.0.1:${port}: Invalid login: 535`);
    await expect(failed).rejects.not.toThrow("guess");
    const refused = run(`smtp://mailer:right@127.0.0.1:${port}`, "ada@elsewhere.example");
    await expect(refused).rejects.toThrow("Relaying denied");
  });
  expect(received).toEqual([]);
});

it("fails if nothing listens", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await expect(run(`smtp://127.0.0.1:${port}`, "ada@example.com")).rejects.toThrow("ECONNREFUSED");
});

it("says where the message is if SMTP isn't configured", async () => {
  const output = await run("", "ada@example.com");
  const [file = ""] = readdirSync(join(dataDir, "mail"));
  expect(output).toBe(
    `SMTP_URL isn’t set, so no email was sent. The message is in ${join(dataDir, "mail", file)} and, while the server is running, at http://localhost:8080/dev/mail.\n`,
  );
  expect(readFileSync(join(dataDir, "mail", file), "utf8")).toContain("To: ada@example.com");
});

it("refuses what isn't an email address", async () => {
  await expect(run("", "ada")).rejects.toThrow("EMAIL must be an email address");
});
