/** A server with channels and rules, whose workers run when the test says so. */
import {
  type BodyInputOf,
  createNotificationChannel,
  createNotificationRule,
  type NotificationChannelType,
} from "@lightkeeper/contract";
import { markEnrolled } from "./enrolled-hosts.ts";
import type { Fleet } from "./fleet.ts";
import type { Session, TestServer } from "./server.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

export const WEBHOOK_ENVIRONMENT = { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" };

export interface WebhookBody {
  type: string;
  timestamp: string;
  data: { title: string; count: number; items: { name: string; text: string; url: string }[] };
}

/** The bodies of the received messages. */
export const messagesOf = ({ requests }: WebhookReceiver): WebhookBody[] =>
  requests.map(({ body }) => JSON.parse(body) as WebhookBody);

export const addChannel = (
  { call }: Session,
  { url }: Pick<WebhookReceiver, "url">,
  type: Exclude<NotificationChannelType, "EMAIL"> = "WEBHOOK",
) => call(createNotificationChannel, { body: { type, name: "Receiver", url } });

type RuleInput = BodyInputOf<typeof createNotificationRule>;

/** Creates a rule with a new webhook channel. */
export async function addRule(
  owner: Session,
  receiver: WebhookReceiver,
  rule: Omit<RuleInput, "channelIDs">,
): Promise<{ ruleID: string; channelID: string }> {
  const channel = await addChannel(owner, receiver);
  const body = { ...rule, channelIDs: [channel.id] };
  const { id } = await owner.call(createNotificationRule, { body });
  return { ruleID: id, channelID: channel.id };
}

/** Finds events, queues messages and sends them, as often as there is anything to do. */
export async function runNotifications(...servers: TestServer[]): Promise<void> {
  for (const { ctx } of servers) while ((await ctx.seal()) > 0);
  await Promise.all(servers.map(({ app }) => app.notifier.drain()));
  await Promise.all(servers.map(({ app }) => app.deliveries.drain()));
}

/** Advances the clock in steps as the notifier would run, so that it sees no interruption. */
export async function passTime(server: TestServer, ms: number, stepMs = 5000): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    server.advance(Math.min(stepMs, ms - passed));
    await runNotifications(server);
  }
}

/** Enrolls the hosts as if they had called now. */
export async function markSeen(server: TestServer, ...hostIDs: string[]): Promise<void> {
  await markEnrolled(server, ...hostIDs);
  await seeHosts(server, ...hostIDs);
}

export async function seeHosts(server: TestServer, ...hostIDs: string[]): Promise<void> {
  await server.query("update host_presence set last_seen_at = $1 where host_id = any($2)", [
    server.ctx.clock(),
    hostIDs,
  ]);
}

export async function addSeenHost(server: TestServer, fleet: Fleet, name: string, tags: string[] = []) {
  const host = await fleet.add({ name, tags });
  await markSeen(server, host.id);
  return host;
}
