/** A real SMTP server that keeps the messages it receives. */
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { until } from "../../until.ts";

export interface MailServer {
  url: string;
  /** Waits for a message to an address that contains the pattern, and returns the match. */
  waitFor: (email: string, pattern: RegExp) => Promise<string>;
  stop: () => Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const messages: string[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "user" && password === "password"
        ? done(null, { user: username })
        : done(new Error("Wrong password")),
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        messages.push(
          Buffer.concat(chunks)
            .toString()
            .replace(/=\r?\n/g, "")
            .replaceAll("=3D", "="),
        );
        done();
      });
    },
  });
  const listener = smtp.listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const find = (email: string, pattern: RegExp) =>
    messages.flatMap((message) =>
      message.includes(`To: ${email}`) ? (pattern.exec(message)?.[0] ?? []) : [],
    );
  return {
    url: `smtp://user:password@127.0.0.1:${(listener.address() as AddressInfo).port}`,
    waitFor: async (email, pattern) => {
      await until(`there is an email to ${email}`, () => find(email, pattern).length > 0);
      return find(email, pattern).at(-1)!;
    },
    stop: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  };
}
