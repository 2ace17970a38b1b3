/** Runs faults while agents and API clients use the system, and verifies at the end that nothing was lost. */
import { startWebhookReceiver, type WebhookReceiver } from "@lightkeeper/server/webhook-receiver";
import { until } from "../until.ts";
import { type AgentLoad, startAgents } from "./agent-load.ts";
import { type ApiLoad, startApiLoad } from "./api-load.ts";
import type { Availability } from "./availability.ts";
import type { Fault } from "./faults.ts";
import { createOrganization, type Organization } from "./organization.ts";
import type { System } from "./system.ts";
import { type Verification, verify, withQuery } from "./verify.ts";

export interface FaultResult {
  name: string;
  reads: Availability;
  writes: Availability;
  /** Until every agent had a change that was made after the fault. */
  agentSeconds: number;
  failedMessages: number;
  /** Responses that clients need not expect, and failures where none is allowed. */
  unexpected: string[];
}

export interface Load {
  organization: Organization;
  api: ApiLoad;
  agents: AgentLoad;
  receiver: WebhookReceiver;
}

export interface LoadSize {
  agents: number;
  writers: number;
  readers: number;
}

const RECOVERY_SECONDS_MAX = 120;
const FIRST_PORT = 20_000;
const RETRY_MS = 250;

export async function startLoad(system: System, size: LoadSize): Promise<Load> {
  const receiver = await startWebhookReceiver();
  const organization = await createOrganization({
    ...system,
    agents: size.agents,
    webhookURL: receiver.url,
  });
  const agents = await startAgents(system.url, organization.codes);
  const { call, networkID } = organization;
  const api = startApiLoad({ call, networkID, writers: size.writers, readers: size.readers });
  return { organization, api, agents, receiver };
}

let port = FIRST_PORT;

/** Opens a port on all hosts, and waits until every agent knows; returns the seconds. */
async function changeAllAgents({ organization, agents }: Load): Promise<number> {
  const startedAt = performance.now();
  const opened = ++port;
  const open = () =>
    organization.openPort(opened).then(
      () => true,
      () => false,
    );
  await until("a role can be changed", open, { seconds: RECOVERY_SECONDS_MAX, everyMs: RETRY_MS });
  await agents.waitForConfig(`port: "${opened}"`);
  return (performance.now() - startedAt) / 1000;
}

function describeFailures(kind: string, { failed }: { failed: number }): string[] {
  return failed === 0 ? [] : [`${failed} failed ${kind}`];
}

export async function runFault(system: System, load: Load, fault: Fault): Promise<FaultResult> {
  const { api, agents } = load;
  for (const counts of [api.reads, api.writes, agents]) counts.take();
  const [agentSeconds] = await Promise.all([changeAllAgents(load), fault.run(system)]);
  const hasRecovered = () => api.reads.failingCount + api.writes.failingCount === 0;
  await until("all clients succeed again", hasRecovered, { seconds: RECOVERY_SECONDS_MAX });
  const [reads, writes, messages] = [api.reads.take(), api.writes.take(), agents.take()];
  const failures = [
    ...describeFailures("reads", reads),
    ...describeFailures("writes", writes),
    ...describeFailures("agent messages", messages),
  ];
  return {
    name: fault.name,
    reads,
    writes,
    agentSeconds,
    failedMessages: messages.failed,
    unexpected: [
      ...reads.unexpected,
      ...writes.unexpected,
      ...messages.unexpected,
      ...(fault.isSilent ? failures : []),
    ],
  };
}

/** Waits until the background work is done: jobs, sealing, and a notification for each blocked host. */
async function waitForBackgroundWork(databaseURL: string): Promise<void> {
  const unfinished = `
    select (select count(*)::int from jobs where state <> 'done') as jobs,
      (select count(*)::int from audit_logs where hash is null) as unsealed,
      (select count(*)::int from notification_deliveries where state <> 'DELIVERED') as undelivered,
      (select count(*)::int from audit_logs where event_type = 'BLOCKED_HOST')
        - (select coalesce(sum((body::jsonb -> 'data' ->> 'count')::int), 0)::int
            from notification_deliveries) as unnotified`;
  let left: Record<string, number> = {};
  const isDone = () =>
    withQuery(databaseURL, async (query) => {
      [left = {}] = await query<Record<string, number>>(unfinished);
      return Object.values(left).every((count) => count <= 0);
    });
  try {
    await until("the background work is done", isDone, { seconds: RECOVERY_SECONDS_MAX });
  } catch (error) {
    throw new Error(`Unfinished background work: ${JSON.stringify(left)}`, { cause: error });
  }
}

/** Stops the load and compares what was acknowledged with the database. */
export async function finishLoad({ databaseURL }: System, load: Load): Promise<Verification> {
  const { organization, api, agents, receiver } = load;
  await api.stop();
  await waitForBackgroundWork(databaseURL);
  agents.stop();
  const verification = await verify(databaseURL, organization.call, {
    acknowledged: api.acknowledged,
    agentHostIDs: agents.hostIDs,
    requests: receiver.requests,
  });
  await receiver.close();
  const lostAgents = agents.lostCount();
  return lostAgents === 0
    ? verification
    : { ...verification, lost: [...verification.lost, `${lostAgents} agents were rejected`] };
}
