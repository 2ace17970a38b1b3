/** Servers that can't prove who they are, or that offer no encryption. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../infrastructure/config/config.ts";
import { createMailer, smtpOptions } from "../../infrastructure/mail/mailer.ts";
import { createPinnedFetch } from "../../nouns/sso/pinned-fetch.ts";
import { SELF_SIGNED } from "../self-signed.ts";

const message = { to: "ada@example.com", subject: "Log in", text: "link", html: "link" };

/** Sends mail to a server with these options, and returns how many messages the server has received. */
async function sendMail(options: SMTPServerOptions, query: string): Promise<number> {
  let count = 0;
  const smtp = new SMTPServer({
    ...options,
    authOptional: true,
    onData(stream, _session, done) {
      stream.resume().on("end", () => {
        count++;
        done();
      });
    },
  });
  smtp.on("error", () => undefined);
  const listener = smtp.listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const { port } = listener.address() as AddressInfo;
  const config = readConfig({ SMTP_URL: `smtp://127.0.0.1:${port}${query}` });
  await createMailer(config, pino({ level: "silent" }))
    .send(message)
    .catch(() => undefined);
  await new Promise<void>((resolve) => smtp.close(resolve));
  return count;
}

describe("email", () => {
  it("requires TLS by default, except on this machine", () => {
    for (const url of ["smtp://mail.example.com:587", "smtp://10.1.2.3", "smtp://user:pass@mail.example.com"])
      expect(smtpOptions(url)).toEqual({ url, requireTLS: true });
    for (const url of ["smtp://localhost", "smtp://127.0.0.1:1025"])
      expect(smtpOptions(url)).toEqual({ url, requireTLS: false });
  });

  it("isn't sent if TLS is required and the server, or somebody in between, offers none", async () => {
    expect(await sendMail({ disabledCommands: ["STARTTLS"] }, "?requireTLS=true")).toBe(0);
    expect(await sendMail({ disabledCommands: ["STARTTLS"] }, "?requireTLS=false")).toBe(1);
  });

  it("isn't sent to a server with a certificate that no CA has signed", async () => {
    expect(await sendMail(SELF_SIGNED, "")).toBe(0);
  });
});

it("an identity provider with a certificate that no CA has signed is never asked", async () => {
  let requests = 0;
  const server = createServer(SELF_SIGNED, (_request, response) => {
    requests++;
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fetch = createPinnedFetch(
    { appEnv: "production", oidcAllowedHosts: ["idp.example.com"] },
    { resolve: async () => [{ address: "127.0.0.1", family: 4 }] },
  );
  const options = { method: "GET", headers: {}, body: undefined, redirect: "manual" } as const;
  await expect(fetch(`https://idp.example.com:${port}/`, options)).rejects.toThrow(
    "DEPTH_ZERO_SELF_SIGNED_CERT",
  );
  expect(requests).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});
