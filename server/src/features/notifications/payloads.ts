/** Bodies of requests, in the format that each type of channel expects. */
import type { NotificationChannelType } from "@lightkeeper/contract";
import type { MailContent } from "../../infrastructure/db/work-tables.ts";
import { describeRest, type NotificationMessage } from "./messages.ts";

export const SETTINGS_PATH = "/settings/notifications";

/** `body` is what the delivery log shows and what is sent. */
export function bodyOf(type: NotificationChannelType, message: NotificationMessage, appURL: string): string {
  switch (type) {
    case "EMAIL":
      return JSON.stringify(mailOf(message, appURL));
    case "SLACK":
      return JSON.stringify(slackPayload(message, appURL));
    case "TEAMS":
      return JSON.stringify(teamsPayload(message, appURL));
    case "WEBHOOK":
    case "AUDIT_STREAM":
      return JSON.stringify(webhookPayload(message, appURL));
  }
}

function mailOf(message: NotificationMessage, appURL: string): MailContent {
  const rest = describeRest(message);
  return {
    subject: message.title,
    lines: [
      ...message.items.map(({ text, path }) => `${text}\n${appURL}${path}`),
      ...(rest === undefined ? [] : [rest]),
      `You receive this email because of a notification rule of your organization. Change it at ${appURL}${SETTINGS_PATH}.`,
    ],
  };
}

/** As the Standard Webhooks specification recommends. */
function webhookPayload(message: NotificationMessage, appURL: string): object {
  const { type, at, organizationID, ruleID, title, count, items } = message;
  return {
    type,
    timestamp: at.toISOString(),
    data: {
      organizationID,
      ruleID,
      title,
      count,
      items: items.map(({ id, name, network, text, path, at: occurredAt }) => ({
        id,
        name,
        networkID: network?.id ?? null,
        networkName: network?.name ?? null,
        text,
        url: `${appURL}${path}`,
        occurredAt,
      })),
    },
  };
}

/** https://api.slack.com/reference/surfaces/formatting#escaping */
const escapeSlack = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** One section per item, because a section is limited to 3,000 characters. */
function slackPayload(message: NotificationMessage, appURL: string): object {
  const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
  const rest = describeRest(message);
  return {
    text: escapeSlack(message.title),
    blocks: [
      section(`*${escapeSlack(message.title)}*`),
      ...message.items.map(({ text, path }) => section(`${escapeSlack(text)} <${appURL}${path}|Open>`)),
      ...(rest === undefined ? [] : [section(rest)]),
    ],
  };
}

/** Text runs, because text blocks would interpret Markdown in names. */
function teamsPayload(message: NotificationMessage, appURL: string): object {
  const paragraph = (...inlines: object[]) => ({ type: "RichTextBlock", inlines });
  const run = (text: string, rest: object = {}) => ({ type: "TextRun", text, ...rest });
  const open = (path: string) =>
    run("Open", { selectAction: { type: "Action.OpenUrl", url: `${appURL}${path}` } });
  const rest = describeRest(message);
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      paragraph(run(message.title, { weight: "Bolder", size: "Medium" })),
      ...message.items.map(({ text, path }) => paragraph(run(`${text} `), open(path))),
      ...(rest === undefined ? [] : [paragraph(run(rest))]),
    ],
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}
