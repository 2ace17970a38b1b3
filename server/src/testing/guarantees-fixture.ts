/** A server with the sample network, and guarantees about its roles. */
import {
  type BodyInputOf,
  createGuarantee,
  type Guarantee,
  listAuditLogs,
  type AuditLog,
} from "@lightkeeper/contract";
import { type AccessFleet, createAccessFleet } from "./access-fixture.ts";
import { DAY_MS, type Session, startTestServer, type TestServer } from "./server.ts";

export type GuaranteeBody = BodyInputOf<typeof createGuarantee>;

export const port = (from: number, to = from) => ({ from, to });

export const roleOf = ({ roles }: AccessFleet, name: keyof AccessFleet["roles"]) =>
  ({ type: "role", id: roles[name] }) as const;

/** Web servers never reach databases by SSH, which holds until a rule allows it. */
export const noSsh = (fleet: AccessFleet, more: Partial<GuaranteeBody> = {}): GuaranteeBody => ({
  type: "MUST_NEVER_REACH",
  source: roleOf(fleet, "web"),
  destination: roleOf(fleet, "database"),
  protocol: "TCP",
  portRange: port(22),
  ...more,
});

export interface GuaranteeFixture {
  server: TestServer;
  owner: Session;
  fleet: AccessFleet;
  /** By the owner, if nobody else is passed. */
  create: (more?: Partial<GuaranteeBody>, by?: Session) => Promise<Guarantee>;
  /** The audit entries of an object, newest first. */
  entriesOf: (id: string) => Promise<AuditLog[]>;
  /** A time, some days from now. */
  inDays: (days: number) => string;
}

export async function startGuaranteeServer(): Promise<GuaranteeFixture> {
  const server = await startTestServer();
  const owner = await server.signUp();
  const fleet = await createAccessFleet(server, owner);
  return {
    server,
    owner,
    fleet,
    create: (more, by = owner) => by.call(createGuarantee, { body: noSsh(fleet, more) }),
    entriesOf: async (id) => (await owner.call(listAuditLogs, { query: { "filter.targetID": id } })).data,
    inDays: (days) => new Date(server.ctx.clock().getTime() + days * DAY_MS).toISOString(),
  };
}
