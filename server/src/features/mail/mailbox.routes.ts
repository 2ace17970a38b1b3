/** Serves the local mailbox at /dev/mail, only if APP_ENV is local and only to this machine. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Context } from "../../infrastructure/context/context.ts";
import { escapeHtml, htmlPage, PAGE_CSS } from "../../infrastructure/html/html.ts";
import { isLoopback } from "../../infrastructure/config/loopback.ts";
import { findLink, mailDirectory } from "../../infrastructure/mail/mailer.ts";

const LISTED_MAX = 50;
const STYLESHEET = "/dev/mail.css";
const QUEUED_MS_MAX = 4000;
const QUEUED_POLL_MS = 100;

interface LocalMail {
  to: string;
  subject: string;
  date: string;
  link: string | undefined;
}

/** Parses only what the local mailer writes. */
export function readLocalMail(raw: string): LocalMail {
  const [head = "", ...rest] = raw.split("\n\n");
  const header = (name: string) => new RegExp(`^${name}: (.*(?:\\n[ \\t].*)*)`, "im").exec(head)?.[1] ?? "";
  const body = rest.join("\n\n").replace(/=\n/g, "").replace(/=3D/g, "=");
  return {
    to: header("To"),
    subject: header("Subject").replace(/\n\s+/g, " "),
    date: header("Date"),
    link: findLink(body),
  };
}

export async function listLocalMail(dataDir: string): Promise<LocalMail[]> {
  const directory = mailDirectory(dataDir);
  const files = (await readdir(directory).catch(() => [])).filter((file) => file.endsWith(".eml"));
  const newest = files.sort().reverse().slice(0, LISTED_MAX);
  return Promise.all(
    newest.map(async (file) => readLocalMail(await readFile(join(directory, file), "utf8"))),
  );
}

function renderMailbox(mails: LocalMail[]): string {
  const rows = mails.map(
    ({ to, subject, date, link }) => `<li>
      <p class="muted"><time>${escapeHtml(date)}</time> · to ${escapeHtml(to)}</p>
      <h2>${escapeHtml(subject)}</h2>
      ${link ? `<p><a href="${escapeHtml(link)}" rel="noreferrer">${escapeHtml(link)}</a></p>` : ""}
    </li>`,
  );
  const list = rows.length
    ? `<ol class="mails">${rows.join("")}</ol>`
    : "<p>No email yet. Sign up or log in to receive one.</p>";
  return htmlPage({
    title: "Local mailbox",
    stylesheet: STYLESHEET,
    body: `<h1>Local mailbox</h1><p class="muted">SMTP_URL is not set, so email is kept on this machine. Newest first. Reload the page to see new email.</p>${list}`,
  });
}

/** People often open the mailbox before the outbox has written the mail that they have just requested. */
async function waitForQueuedMail({ reader }: Context): Promise<void> {
  const isQueued = async () => {
    const firstAttempts = reader.selectFrom("mail_jobs").select("id").where("attempts", "<=", 1).limit(1);
    return (await firstAttempts.executeTakeFirst()) !== undefined;
  };
  for (let waitedMs = 0; waitedMs < QUEUED_MS_MAX && (await isQueued()); waitedMs += QUEUED_POLL_MS)
    await sleep(QUEUED_POLL_MS);
}

export function serveMailbox(app: FastifyInstance, ctx: Context): void {
  if (ctx.config.appEnv !== "local" || ctx.config.smtpURL) return;
  const isAllowed = (request: FastifyRequest) =>
    isLoopback(request.socket.remoteAddress) && isLoopback(request.hostname);
  app.get("/dev/mail", async (request, reply) => {
    if (!isAllowed(request)) return reply.callNotFound();
    await waitForQueuedMail(ctx);
    return reply
      .header("cache-control", "no-store")
      .type("text/html; charset=utf-8")
      .send(renderMailbox(await listLocalMail(ctx.config.dataDir)));
  });
  app.get(STYLESHEET, (_request, reply) =>
    reply.header("cache-control", "no-cache").type("text/css; charset=utf-8").send(PAGE_CSS),
  );
}
