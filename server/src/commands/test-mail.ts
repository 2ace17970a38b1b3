import { join } from "node:path";
import { MagicLinkRequest } from "@lightkeeper/contract";
import { escapeLine } from "@lightkeeper/contract/characters";
import { type Config, ConfigError, readConfig } from "../infrastructure/config/config.ts";
import { mailDirectory, type Message, sendBySmtp, writeLocalMail } from "../infrastructure/mail/mailer.ts";
import { plainMail } from "../infrastructure/mail/plain-mail.ts";
import { readArguments } from "./arguments.ts";

export async function testMailCommand(args: string[], usage: string): Promise<void> {
  const parsed = MagicLinkRequest.safeParse({ email: readArguments(args, usage).operands[0] });
  if (!parsed.success) throw new ConfigError("EMAIL must be an email address");
  const config = readConfig(process.env);
  const message = plainMail(parsed.data.email, {
    subject: "Test message from Lightkeeper",
    lines: [`Lightkeeper at ${config.appURL} can send email to ${parsed.data.email}.`],
  });
  process.stdout.write(`${escapeLine(await send(config, message))}\n`);
}

/** Returns the sentence to print. */
async function send(config: Config, message: Message): Promise<string> {
  const { smtpURL, appURL, dataDir, mailFrom } = config;
  if (!smtpURL) {
    const file = await writeLocalMail(config, message);
    return `SMTP_URL isn’t set, so no email was sent. The message is in ${join(mailDirectory(dataDir), file)} and, while the server is running, at ${appURL}/dev/mail.`;
  }
  const { host } = new URL(smtpURL);
  try {
    return `${host} accepted the message to ${message.to}: ${await sendBySmtp(smtpURL, mailFrom, message)}`;
  } catch (error) {
    throw new ConfigError(`Can’t send email through ${host}: ${(error as Error).message}`);
  }
}
