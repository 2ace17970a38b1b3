import type { MailContent } from "../db/work-tables.ts";
import { escapeHtml } from "../html/html.ts";
import type { Message } from "./mailer.ts";

/** Escapes the paragraphs, which may contain user input. */
export function plainMail(to: string, { subject, lines, replyTo }: MailContent): Message {
  const paragraphs = lines.map((line) => `<p style="white-space:pre-wrap">${escapeHtml(line)}</p>`);
  return {
    to,
    // Header values must be one line.
    subject: subject.replace(/\s+/g, " "),
    text: `${lines.join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body style="font-family:system-ui,sans-serif;line-height:1.5;color:#12171e">
${paragraphs.join("\n")}
</body></html>`,
    ...(replyTo !== undefined && { replyTo }),
  };
}
