import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sendMagicLink, signup } from "@lightkeeper/contract";
import { pino } from "pino";
import { SMTPServer } from "smtp-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../infrastructure/config/config.ts";
import { rawRequest } from "../../testing/raw-request.ts";
import { MINUTE_MS, startTestServer, type TestServer, type TestServerOptions } from "../../testing/server.ts";
import { createMailer, writeLocalMail } from "../../infrastructure/mail/mailer.ts";
import type { Message } from "../../infrastructure/mail/mailer.ts";

const servers: TestServer[] = [];
async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer({ frozen: true, ...options });
  servers.push(server);
  return server;
}
afterEach(async () => {
  for (const server of servers.splice(0).reverse()) await server.close();
});

const link = `http://localhost:8080/auth/magic-link?magicLinkToken=${"aB3_-".repeat(8)}xyz`;
const message: Message = {
  to: "ada@example.com",
  subject: "Your <link> & more",
  text: `Use this.\n\n${link}\n`,
  html: `<a href="${link}">Sign in</a>`,
};

describe("the outbox", () => {
  it("retries after 2, 4, 8, 16, 32, 60 and 60 minutes, then gives up", async () => {
    const send = vi.fn((_message: Message) => Promise.reject(new Error("no route to the mail server")));
    const server = await start({ mailer: { send } });
    const jobs = () => server.query("select id from mail_jobs");
    await server.client()(signup, { body: { email: "late@example.com" } });
    await server.app.outbox.drain();
    expect(send).toHaveBeenCalledTimes(1);
    for (const [index, minutes] of [2, 4, 8, 16, 32, 60, 60].entries()) {
      expect(await jobs()).toHaveLength(1);
      server.advance(minutes * MINUTE_MS - 1);
      await server.app.outbox.drain();
      expect(send).toHaveBeenCalledTimes(index + 1);
      server.advance(1);
      await server.app.outbox.drain();
      expect(send).toHaveBeenCalledTimes(index + 2);
    }
    expect(await jobs()).toEqual([]);
  });

  it("delivers when the mail server is back, with a valid link", async () => {
    const delivered: Message[] = [];
    const send = vi.fn(async (mail: Message) => void delivered.push(mail));
    send.mockRejectedValueOnce(new Error("busy"));
    const server = await start({ mailer: { send } });
    await server.client()(signup, { body: { email: "ada@example.com" } });
    await server.app.outbox.drain();
    expect(delivered).toEqual([]);
    server.advance(2 * MINUTE_MS);
    await server.app.outbox.drain();
    expect(delivered.map(({ to }) => to)).toEqual(["ada@example.com"]);
    expect(await server.query("select id from mail_jobs")).toEqual([]);
  });

  it("sends each mail once, however many servers send", async () => {
    const one = await start();
    const two = await start({ database: one.database });
    await one.query(
      `insert into mail_jobs (kind, email, next_attempt_at, created_at)
       select 'signUp', 'person' || number || '@example.com', $1, $1 from generate_series(1, 40) number`,
      [new Date(one.ctx.clock().getTime() - MINUTE_MS)],
    );
    await Promise.all([one.app.outbox.drain(), two.app.outbox.drain()]);
    const receivers = [...one.mails, ...two.mails].map(({ to }) => to);
    expect(receivers).toHaveLength(40);
    expect(new Set(receivers).size).toBe(40);
    expect([one.mails.length, two.mails.length]).not.toContain(0);
  });

  it("takes over the jobs of a dead server after a minute", async () => {
    const server = await start();
    const { email } = await server.signUp();
    await server.app.outbox.drain();
    const before = server.mails.length;
    const now = server.ctx.clock().getTime();
    await server.query(
      `insert into mail_jobs (kind, email, attempts, next_attempt_at, created_at) values ('signIn', $1, 1, $2, $3)`,
      [email, new Date(now + MINUTE_MS), new Date(now)],
    );
    await server.app.outbox.drain();
    expect(server.mails).toHaveLength(before);
    server.advance(MINUTE_MS);
    await server.app.outbox.drain();
    expect(server.mails).toHaveLength(before + 1);
  });

  it("does not lose a request that arrives while it sends", async () => {
    const server = await start();
    const { email } = await server.signUp();
    await server.app.outbox.drain();
    const before = server.mails.length;
    await Promise.all([1, 2, 3, 4].map(() => server.client()(sendMagicLink, { body: { email } })));
    await server.app.outbox.drain();
    expect(server.mails).toHaveLength(before + 4);
  });
});

describe("mail by SMTP", () => {
  it("is sent with authentication from the configured sender", async () => {
    const received: { from: string; to: string[]; raw: string; user: string | undefined }[] = [];
    const smtp = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === "p@ss" ? done(null, { user: username ?? "" }) : done(new Error("Wrong password")),
      onData(stream, { envelope, user }, done) {
        let raw = "";
        stream.on("data", (chunk: Buffer) => (raw += chunk.toString()));
        stream.on("end", () => {
          const from = envelope.mailFrom ? envelope.mailFrom.address : "";
          received.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw, user });
          done();
        });
      },
    });
    const listener = smtp.listen(0, "127.0.0.1");
    await new Promise((resolve) => listener.once("listening", resolve));
    const { port } = listener.address() as { port: number };
    const send = (password: string) => {
      const SMTP_URL = `smtp://mailer:${encodeURIComponent(password)}@127.0.0.1:${port}`;
      const config = readConfig({ SMTP_URL, MAIL_FROM: "Lighthouse <light@example.com>" });
      return createMailer(config, pino({ level: "silent" })).send(message);
    };
    try {
      await send("p@ss");
      await expect(send("wrong")).rejects.toThrow();
    } finally {
      await new Promise<void>((resolve) => smtp.close(resolve));
    }
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ from: "light@example.com", to: ["ada@example.com"], user: "mailer" });
    const raw = received[0]?.raw.replace(/=\r\n/g, "").replace(/=3D/g, "=") ?? "";
    expect(raw).toContain("From: Lighthouse <light@example.com>");
    expect(raw).toContain(link);
  });
});

describe("mail without SMTP", () => {
  it("is a file that only its owner can read, with its link in the terminal and on /dev/mail", async () => {
    const server = await start();
    const { config, log } = server.ctx;
    const terminal: string[] = [];
    const write = vi
      .spyOn(process.stdout, "write")
      .mockImplementation((text) => terminal.push(String(text)) > 0);
    await createMailer(config, log)
      .send(message)
      .finally(() => write.mockRestore());
    expect(terminal.join("")).toContain(`Mail to ada@example.com: Your <link> & more\n  ${link}\n`);

    const directory = join(config.dataDir, "mail");
    const [file = "", ...others] = readdirSync(directory);
    expect(others).toEqual([]);
    expect(file).toMatch(/\.eml$/);
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, file), "utf8")).toContain("To: ada@example.com\n");

    const { status, headers, body } = await rawRequest(`${server.url}/dev/mail`);
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("no-store");
    const page = body.toString();
    expect(page).toContain(`<a href="${link}" rel="noreferrer">`);
    expect(page).toContain("Your &lt;link&gt; &amp; more");
  });

  it("is on /dev/mail even if the page is opened before it was sent", async () => {
    let allowSending = (): void => undefined;
    const isAllowed = new Promise<void>((resolve) => (allowSending = resolve));
    const send = async (mail: Message) => {
      await isAllowed;
      await writeLocalMail(server.ctx.config, mail);
    };
    const server = await start({ mailer: { send } });
    await server.client()(signup, { body: { email: "early@example.com" } });
    const sent = server.app.outbox.drain();
    const page = rawRequest(`${server.url}/dev/mail`);
    for (let index = 0; index < 5; index++) await rawRequest(`${server.url}/readyz`);
    allowSending();
    await sent;
    expect((await page).body.toString()).toContain("early@example.com");
  });

  it("shows on /dev/mail that there is no mail", async () => {
    const server = await start();
    expect((await rawRequest(`${server.url}/dev/mail`)).body.toString()).toContain("No email yet");
  });

  it.each([["console.example.com"], ["localhost.example.com"], ["192.168.1.2:8080"]])(
    "is not shown for the host %s",
    async (host) => {
      const server = await start();
      expect((await rawRequest(`${server.url}/dev/mail`, { headers: { host } })).status).toBe(404);
      for (const own of ["localhost:8080", "127.0.0.1", "[::1]:8080"])
        expect((await rawRequest(`${server.url}/dev/mail`, { headers: { host: own } })).status).toBe(200);
    },
  );

  it("has no page if SMTP is configured", async () => {
    const server = await start({ environment: { SMTP_URL: "smtp://localhost" } });
    expect((await rawRequest(`${server.url}/dev/mail`)).status).toBe(404);
  });
});
