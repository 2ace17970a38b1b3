/**
 * Lets a year pass: people and the API create everything, and simulated agents enroll, renew their certificates and go
 * offline, so that the audit log, the certificates and the lists agree.
 */
import {
  blockHostV2,
  createClient,
  createHostAndEnrollmentCodeV2,
  type MemberRole,
} from "@lightkeeper/contract";
import type { DemoAgent } from "../agents/demo-agent.ts";
import { planHosts, type PlannedHost } from "./host-plan.ts";
import type { HistoryServer } from "./history-server.ts";
import { createPeople, OWNER_EMAIL, type Person } from "./people.ts";
import {
  addDebugRule,
  createGuarantees,
  createRoutes,
  createTerraformKey,
  DEBUG_TAG,
  LATER_RULES,
  setRules,
  type Setup,
  setUpOrganization,
} from "./setup.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
export const HISTORY_DAYS = 365;

/** Half-lives of certificates end in between: agents renew them in these rounds. */
const SYNC_DAYS = [170, 60, 5, 0];
const PARALLEL_AGENTS = 20;

const MEMBERS: { email: string; role: MemberRole; days: number }[] = [
  { email: "platform@harborline.example", role: "administrator", days: 350 },
  { email: "security@harborline.example", role: "owner", days: 340 },
  { email: "support@harborline.example", role: "administrator", days: 210 },
  { email: "auditor@harborline.example", role: "auditor", days: 95 },
];

interface Event {
  days: number;
  run: () => Promise<unknown>;
}

export interface HistoryOptions {
  server: HistoryServer;
  nowMs: number;
  enroll: (host: PlannedHost, code: string) => Promise<DemoAgent>;
}

export async function createHistory({ server, nowMs, enroll }: HistoryOptions): Promise<DemoAgent[]> {
  const people = createPeople(server);
  const owner = await people.signUp(OWNER_EMAIL);
  const setup = await setUpOrganization(owner.call, server.advance);
  const token = await createTerraformKey(owner.call);
  const terraform = createClient({ baseURL: server.url, authorization: () => `Bearer ${token}` });
  const members = new Map<string, Person>([[OWNER_EMAIL, owner]]);
  const member = (name: string) => members.get(`${name}@harborline.example`) ?? owner;
  const hosts = createHosts({ server, setup, terraform, enroll, security: () => member("security") });
  const events: Event[] = [
    ...MEMBERS.map(({ email, role, days }) => ({
      days,
      run: async () => members.set(email, await people.join(owner, email, role)),
    })),
    ...planHosts().flatMap(hosts.eventsOf),
    { days: 358, run: () => createRoutes(owner.call, setup.roleIDs, hosts.ids) },
    ...LATER_RULES.map((key, index) => ({
      days: [31, 17, 9, 4.5][index] ?? 1,
      run: () => setRules(member("platform").call, setup.roleIDs, key),
    })),
    { days: 4, run: () => addDebugRule(member("platform").call, setup.roleIDs) },
    { days: 3, run: () => createGuarantees(member("security").call, setup) },
    ...SYNC_DAYS.map((days) => ({ days, run: hosts.syncAll })),
  ];
  for (const { days, run } of events.sort((a, b) => b.days - a.days)) {
    server.advanceTo(nowMs - days * DAY_MS);
    await run();
  }
  await server.settlePresence();
  return hosts.agents;
}

interface HostOptions {
  server: HistoryServer;
  setup: Setup;
  terraform: ReturnType<typeof createClient>;
  enroll: HistoryOptions["enroll"];
  security: () => Person;
}

/** Creates the hosts and moves them through their lives. */
function createHosts({ server, setup, terraform, enroll, security }: HostOptions) {
  const ids = new Map<string, string>();
  const agents = new Set<DemoAgent>();
  const enrolled: DemoAgent[] = [];

  async function addHost(host: PlannedHost): Promise<DemoAgent | undefined> {
    const reach = host.is === "lighthouse" || host.is === "relay";
    const { host: created, enrollmentCode } = await terraform(createHostAndEnrollmentCodeV2, {
      body: {
        name: host.name,
        networkID: setup.networkIDs[host.network],
        roleID: host.role && setup.roleIDs[host.role],
        tags: host.role === "database" && host.name.endsWith("fra-002") ? [...host.tags, DEBUG_TAG] : host.tags,
        isLighthouse: host.is === "lighthouse",
        isRelay: host.is === "relay",
        ...(reach && { staticAddresses: [`${host.name}.harborline.example:4242`], listenPort: 4242 }),
      },
    });
    ids.set(`${host.network}/${host.name}`, created.id);
    if (host.fate.kind === "neverEnrolled") return undefined;
    server.advance(4 * MINUTE_MS);
    const agent = await enroll(host, enrollmentCode.code);
    agents.add(agent);
    enrolled.push(agent);
    await agent.report();
    return agent;
  }

  function eventsOf(host: PlannedHost): Event[] {
    let agent: DemoAgent | undefined;
    const leave = async () => {
      if (!agent) return;
      await agent.report();
      agents.delete(agent);
      await server.settlePresence();
    };
    const events: Event[] = [{ days: host.createdDays, run: async () => (agent = await addHost(host)) }];
    const { fate } = host;
    if (fate.kind === "offline") events.push({ days: fate.lastSeenDays, run: leave });
    if (fate.kind === "blocked")
      events.push({
        days: fate.blockedDays,
        run: async () => {
          await leave();
          server.advance(20 * MINUTE_MS);
          await security().call(blockHostV2, { params: { hostID: ids.get(`${host.network}/${host.name}`)! } });
        },
      });
    return events;
  }

  /** All running agents fetch what is new and report it. */
  async function syncAll(): Promise<void> {
    const queue = [...agents];
    const work = async () => {
      for (let agent = queue.pop(); agent; agent = queue.pop()) {
        await agent.fetchUpdates();
        await agent.report();
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_AGENTS }, work));
    await server.settlePresence();
  }

  return { ids, agents: enrolled, eventsOf, syncAll };
}
