import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { escapeLine } from "@lightkeeper/contract/characters";
import { createTransport } from "nodemailer";
import type { Logger } from "pino";
import { systemTime } from "../time/clock.ts";
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

export const mailDirectory = (dataDir: string) => join(dataDir, "mail");

export function createMailer(config: Config, log: Logger): Mailer {
  return config.smtpURL ? smtpMailer(config.smtpURL, config.mailFrom, log) : localMailer(config);
}

function smtpMailer(url: string, from: string, log: Logger): Mailer {
  const transport = createTransport(url, { from });
  return {
    async send(message) {
      await transport.sendMail(message);
      log.info("sent mail");
    },
  };
}

/** Writes every mail to a file. Its link is printed to the terminal, never logged. */
function localMailer({ dataDir, mailFrom }: Config): Mailer {
  const transport = createTransport(
    { streamTransport: true, buffer: true, newline: "unix" },
    { from: mailFrom },
  );
  const directory = mailDirectory(dataDir);
  return {
    async send(message) {
      const { message: raw } = await transport.sendMail(message);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const stamp = systemTime().toISOString().replace(/[:.]/g, "-");
      const file = join(directory, `${stamp}-${randomBytes(3).toString("hex")}.eml`);
      await writeFile(file, raw as Buffer, { mode: 0o600 });
      const link = /https?:\/\/\S+/.exec(message.text)?.[0];
      const title = escapeLine(`Mail to ${message.to}: ${message.subject}`);
      process.stdout.write(`\n${title}\n${link ? `  ${escapeLine(link)}\n` : ""}\n`);
    },
  };
}
