/**
 * Lets a year pass: people and the API create everything, and simulated agents enroll, renew their certificates and go
 * offline, so that the audit log, the certificates and the lists agree.
 */
import { createClient, type MemberRole } from "@lightkeeper/contract";
import type { DemoAgent } from "../agents/demo-agent.ts";
import { type Enroll, type Event, HostHistory } from "./host-history.ts";
import { planHosts } from "./host-plan.ts";
import type { HistoryServer } from "./history-server.ts";
import { OWNER_EMAIL, People, type Person } from "./people.ts";
import {
  addDebugRule,
  createGuarantees,
  createNotifications,
  createRoutes,
  createTerraformKey,
  LATER_RULES,
  setRules,
  setUpOrganization,
} from "./setup.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
export const HISTORY_DAYS = 365;

/** Half-lives of certificates end in between: agents renew them in these rounds. */
const SYNC_DAYS = [170, 60, 5, 0];

const MEMBERS: { email: string; role: MemberRole; days: number }[] = [
  { email: "platform@harborline.example", role: "administrator", days: 350 },
  { email: "security@harborline.example", role: "owner", days: 340 },
  { email: "support@harborline.example", role: "administrator", days: 210 },
  { email: "auditor@harborline.example", role: "auditor", days: 95 },
];

export interface HistoryOptions {
  server: HistoryServer;
  nowMs: number;
  enroll: Enroll;
}

export async function createHistory({ server, nowMs, enroll }: HistoryOptions): Promise<DemoAgent[]> {
  const people = new People(server);
  const owner = await people.signUp(OWNER_EMAIL);
  const setup = await setUpOrganization(owner.call, server.advance);
  const token = await createTerraformKey(owner.call);
  const terraform = createClient({ baseURL: server.url, authorization: () => `Bearer ${token}` });
  const members = new Map<string, Person>([[OWNER_EMAIL, owner]]);
  const member = (name: string) => members.get(`${name}@harborline.example`) ?? owner;
  const hosts = new HostHistory({ server, setup, terraform, enroll, security: () => member("security") });
  const events: Event[] = [
    ...MEMBERS.map(({ email, role, days }) => ({
      days,
      run: async () => members.set(email, await people.join(owner, email, role)),
    })),
    ...planHosts().flatMap((host) => hosts.eventsOf(host)),
    { days: 358, run: () => createRoutes(owner.call, setup.roleIDs, hosts.ids) },
    ...LATER_RULES.map((key, index) => ({
      days: [31, 17, 9, 4.5][index] ?? 1,
      run: () => setRules(member("platform").call, setup.roleIDs, key),
    })),
    { days: 4, run: () => addDebugRule(member("platform").call, setup.roleIDs) },
    { days: 3, run: () => createGuarantees(member("security").call, setup) },
    { days: 20, run: () => createNotifications(member("security").call) },
    ...SYNC_DAYS.map((days) => ({ days, run: () => hosts.sync() })),
  ];
  for (const { days, run } of events.sort((a, b) => b.days - a.days)) {
    server.advanceTo(nowMs - days * DAY_MS);
    await run();
  }
  await server.settlePresence();
  await server.dateEntries();
  return hosts.enrolled;
}
