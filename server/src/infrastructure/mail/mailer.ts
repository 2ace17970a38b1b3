import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { escapeLine } from "@lightkeeper/contract/characters";
import { createTransport } from "nodemailer";
import type { Logger } from "pino";
import { isLoopback } from "../config/loopback.ts";
import { systemTime } from "../time/clock.ts";
import { SECOND_MS } from "../time/durations.ts";
import type { Config } from "../config/config.ts";

export interface Message {
  to: string;
  subject: string;
  text: string;
  html: string;
  replyTo?: string;
}

export interface Mailer {
  send(message: Message): Promise<void>;
}

const TEST_TIMEOUTS = {
  connectionTimeout: 10 * SECOND_MS,
  greetingTimeout: 10 * SECOND_MS,
  socketTimeout: 30 * SECOND_MS,
};

export const mailDirectory = (dataDir: string) => join(dataDir, "mail");

export function createMailer(config: Config, log: Logger): Mailer {
  return config.smtpURL ? smtpMailer(config.smtpURL, config.mailFrom, log) : localMailer(config);
}

/** Login links don't leave this machine in plain text, unless the URL says `requireTLS=false`, which takes precedence. */
export const smtpOptions = (url: string) => ({ url, requireTLS: !isLoopback(new URL(url).hostname) });

function smtpMailer(url: string, from: string, log: Logger): Mailer {
  const transport = createTransport(smtpOptions(url), { from });
  return {
    async send(message) {
      await transport.sendMail(message);
      log.info("sent mail");
    },
  };
}

/** Sends one message and returns the mail server's response. Gives up sooner than the outbox, which can wait. */
export async function sendBySmtp(url: string, from: string, message: Message): Promise<string> {
  const transport = createTransport({ ...TEST_TIMEOUTS, ...smtpOptions(url) }, { from });
  try {
    return (await transport.sendMail(message)).response;
  } finally {
    transport.close();
  }
}

/** The first link of a text, without the punctuation after it. */
export const findLink = (text: string): string | undefined =>
  /https?:\/\/[^\s"<>]*[^\s"<>.,;:]/.exec(text)?.[0];

/** Writes every mail to a file. Its link is printed to the terminal, never logged. */
function localMailer(config: Config): Mailer {
  return {
    async send(message) {
      await writeLocalMail(config, message);
      const link = findLink(message.text);
      const title = escapeLine(`Mail to ${message.to}: ${message.subject}`);
      process.stdout.write(`\n${title}\n${link ? `  ${escapeLine(link)}\n` : ""}\n`);
    },
  };
}

/** Returns the name of the file. */
export async function writeLocalMail(
  { dataDir, mailFrom }: Pick<Config, "dataDir" | "mailFrom">,
  message: Message,
): Promise<string> {
  const transport = createTransport(
    { streamTransport: true, buffer: true, newline: "unix" },
    { from: mailFrom },
  );
  const directory = mailDirectory(dataDir);
  const { message: raw } = await transport.sendMail(message);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const stamp = systemTime().toISOString().replace(/[:.]/g, "-");
  const file = `${stamp}-${randomBytes(3).toString("hex")}.eml`;
  await writeFile(join(directory, file), raw as Buffer, { mode: 0o600 });
  return file;
}
