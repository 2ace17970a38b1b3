import {
  createNetwork,
  deleteNetwork,
  isWrite,
  listAuditLogs,
  listNetworks,
  updateNetwork,
  updateTotpAuthenticator,
  whoami,
} from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { done, locked, unchanged } from "../../infrastructure/db/audited.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { prepare, send } from "../../testing/requests.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

type Entry = [actor: string, target: string, event: string];

async function entriesOf({ organizationID }: Session): Promise<{ id: string; entry: Entry }[]> {
  const rows = await server.query<{ id: string; actor: string; target: string; event: string }>(
    `select id, actor ->> 'type' as actor, target_type as target, event_type as event
     from audit_logs where organization_id = $1`,
    [organizationID],
  );
  return rows.map(({ id, actor, target, event }) => ({ id, entry: [actor, target, event] }));
}

const created: Entry[] = [
  ["user", "network", "CREATED"],
  ["system", "ca", "CREATED"],
  ["system", "network", "SET_NETWORK_CA"],
];

/** The audit entries that each writing endpoint creates; none if it doesn't change an organization. */
const expectedEntries: Record<string, Entry[]> = {
  signup: [],
  sendMagicLink: [],
  verifyMagicLink: [["user", "user", "SUCCEEDED_AUTH"]],
  signOut: [],
  logInWithTotp: [["user", "user", "SUCCEEDED_AUTH"]],
  logInWithRecoveryCode: [["user", "user", "SUCCEEDED_AUTH"]],
  createRecoveryCodes: [["user", "user", "CREATED_RECOVERY_CODES"]],
  startOidc: [],
  verifyOidc: [],
  updateOidcProvider: [["user", "oidcProvider", "CREATED"]],
  deleteOidcProvider: [["user", "oidcProvider", "DELETED"]],
  testOidcProvider: [],
  verifyOidcTrial: [],
  startEndpointSignIn: [],
  verifyEndpointSignIn: [],
  createTotpAuthenticator: [],
  verifyTotpAuthenticator: [["user", "totp", "CREATED_TOTP"]],
  updateTotpAuthenticator: [["user", "totp", "UPDATED"]],
  deleteTotpAuthenticator: [["user", "totp", "DELETED_TOTP"]],
  updateOrganization: [["user", "organization", "UPDATED"]],
  deleteOrganization: [["user", "organization", "DELETED"]],
  startCheckout: [],
  confirmCheckout: [["user", "billing", "UPDATED"]],
  openBillingPortal: [],
  downgradePlan: [["user", "billing", "UPDATED"]],
  receiveBillingEvent: [],
  createNetwork: created,
  createNetworkV2: created,
  updateNetwork: [["user", "network", "UPDATED"]],
  updateNetworkV2: [["user", "network", "UPDATED"]],
  deleteNetwork: [["user", "network", "DELETED"]],
  addNetworkCidr: [["user", "network", "UPDATED"]],
  rotateCa: [
    ["user", "network", "UPDATED"],
    ["system", "ca", "CREATED"],
  ],
  upgradeNetwork: [["user", "network", "UPDATED"]],
  finishNetworkUpgrade: [
    ["user", "network", "UPDATED"],
    ["system", "ca", "UPDATED"],
    ["system", "ca", "UPDATED"],
    ["system", "network", "SET_NETWORK_CA"],
  ],
  revertNetworkUpgrade: [["user", "network", "UPDATED"]],
  createHost: [["user", "host", "CREATED"]],
  createHostV2: [["user", "host", "CREATED"]],
  updateHostV2: [["user", "host", "UPDATED"]],
  updateHostV3: [["user", "host", "UPDATED"]],
  deleteHost: [["user", "host", "DELETED"]],
  blockHost: [["user", "host", "BLOCKED_HOST"]],
  blockHostV2: [["user", "host", "BLOCKED_HOST"]],
  unblockHost: [["user", "host", "UNBLOCKED_HOST"]],
  unblockHostV2: [["user", "host", "UNBLOCKED_HOST"]],
  createEnrollmentCode: [["user", "host", "CREATED_ENROLL_CODE"]],
  createHostAndEnrollmentCode: [
    ["user", "host", "CREATED"],
    ["user", "host", "CREATED_ENROLL_CODE"],
  ],
  createHostAndEnrollmentCodeV2: [
    ["user", "host", "CREATED"],
    ["user", "host", "CREATED_ENROLL_CODE"],
  ],
  runHostCommand: [],
  enrollHost: [["host", "host", "ENROLLED"]],
  sendAgentMessage: [],
  startEndpointAuth: [],
  bulkHosts: [],
  createTag: [["user", "tag", "CREATED"]],
  updateTag: [["user", "tag", "UPDATED"]],
  deleteTag: [["user", "tag", "DELETED"]],
  createRoute: [["user", "route", "CREATED"]],
  updateRoute: [["user", "route", "UPDATED"]],
  deleteRoute: [["user", "route", "DELETED"]],
  checkAccess: [],
  lintRules: [],
  previewAccess: [],
  createGuarantee: [["user", "guarantee", "CREATED"]],
  checkGuarantee: [],
  updateGuarantee: [["user", "guarantee", "UPDATED"]],
  deleteGuarantee: [["user", "guarantee", "DELETED"]],
  suspendGuarantee: [["user", "guarantee", "UPDATED"]],
  resumeGuarantee: [["user", "guarantee", "UPDATED"]],
  createNotificationChannel: [["user", "notificationChannel", "CREATED"]],
  updateNotificationChannel: [["user", "notificationChannel", "UPDATED"]],
  deleteNotificationChannel: [["user", "notificationChannel", "DELETED"]],
  rotateNotificationSecret: [["user", "notificationChannel", "UPDATED"]],
  // The channel's deliveries are a log of their own.
  testNotificationChannel: [],
  resendNotificationDelivery: [],
  createNotificationRule: [["user", "notificationRule", "CREATED"]],
  updateNotificationRule: [["user", "notificationRule", "UPDATED"]],
  deleteNotificationRule: [["user", "notificationRule", "DELETED"]],
  planImport: [],
  applyImport: [["user", "role", "CREATED"]],
  createRole: [["user", "role", "CREATED"]],
  updateRole: [["user", "role", "UPDATED"]],
  deleteRole: [["user", "role", "DELETED"]],
  createApiKey: [["user", "apiKey", "CREATED"]],
  updateApiKey: [["user", "apiKey", "UPDATED"]],
  rotateApiKey: [["user", "apiKey", "UPDATED"]],
  deleteApiKey: [["user", "apiKey", "DELETED"]],
  inviteMember: [["user", "user", "CREATED"]],
  updateMember: [["user", "user", "UPDATED"]],
  removeMember: [["user", "user", "DELETED"]],
  leaveOrganization: [["user", "user", "DELETED"]],
  // The entry is in the log of the organization that invited.
  declineInvitation: [],
  listInvitationsByLink: [],
  acceptInvitation: [
    ["user", "user", "CREATED"],
    ["user", "user", "SUCCEEDED_AUTH"],
  ],
  declineInvitationByLink: [["user", "user", "DELETED"]],
  createOwnOrganization: [],
  readmitMember: [["user", "user", "UPDATED"]],
  addDomain: [["user", "domain", "CREATED"]],
  // Tests have no DNS record to find.
  verifyDomain: [],
  removeDomain: [["user", "domain", "DELETED"]],
  approveDeviceRequest: [
    ["user", "deviceRequest", "UPDATED"],
    ["user", "host", "CREATED"],
    ["user", "host", "CREATED_ENROLL_CODE"],
  ],
  rejectDeviceRequest: [["user", "deviceRequest", "DELETED"]],
  revokeSession: [],
  revokeSessions: [],
  contactSupport: [],
  reportClientError: [],
};

describe("every writing endpoint", () => {
  const writing = [...endpoints].filter(([, endpoint]) => isWrite(endpoint)).map(([name]) => name);

  it("has expected audit entries", () => {
    expect(Object.keys(expectedEntries).sort()).toEqual([...writing].sort());
  });

  it.each(writing)("%s writes exactly the expected audit entries", async (name) => {
    const owner = await server.signUp();
    const sample = await prepare(name, server, owner);
    const before = new Set((await entriesOf(owner)).map(({ id }) => id));
    await send(server, name, sample, [owner.userToken, owner.authToken]);
    const added = (await entriesOf(owner)).filter(({ id }) => !before.has(id)).map(({ entry }) => entry);
    expect(added.sort()).toEqual([...(expectedEntries[name] ?? [])].sort());
  });

  it("writes the first entries when an account is created", async () => {
    const owner = await server.signUp();
    const entries = (await entriesOf(owner)).map(({ entry }) => entry);
    expect(entries.sort()).toEqual([
      ["system", "role", "CREATED"],
      ["user", "organization", "CREATED"],
      ["user", "totp", "CREATED_TOTP"],
      ["user", "user", "CREATED"],
      ["user", "user", "SUCCEEDED_AUTH"],
    ]);
  });
});

describe("a write", () => {
  it("that fails leaves no entry and no change", async () => {
    const owner = await server.signUp();
    await owner.call(createNetwork, { body: { name: "Taken", cidr: "10.0.0.0/24" } });
    const { id } = await owner.call(createNetwork, { body: { name: "Other" } });
    const before = await entriesOf(owner);
    const networks = await owner.call(listNetworks);
    await errorsOf(owner.call(createNetwork, { body: { name: "taken" } }));
    await errorsOf(owner.call(createNetwork, { body: { name: "New", cidr: "10.0.0.0/16" } }));
    await errorsOf(owner.call(updateNetwork, { params: { networkID: id }, body: { name: "Taken" } }));
    await errorsOf(owner.call(deleteNetwork, { params: { networkID: "network-none" } }));
    await errorsOf(
      owner.call(updateTotpAuthenticator, { params: { totpID: "totp-none" }, body: { name: "x" } }),
    );
    expect(await entriesOf(owner)).toEqual(before);
    expect(await owner.call(listNetworks)).toEqual(networks);
  });

  it("that claims to have changed nothing, but did, is rolled back", async () => {
    const owner = await server.signUp();
    const write = server.ctx.audited(async (tx) => {
      await tx
        .updateTable("organizations")
        .set({ name: "Silently" })
        .where("id", "=", owner.organizationID)
        .execute();
      return unchanged("nothing");
    });
    await expect(write).rejects.toThrow("A write without an audit entry");
    expect((await owner.call(whoami)).organization.name).toBe("example.com");
    const read = server.ctx.audited(async (tx) =>
      unchanged(await tx.selectFrom("organizations").select("id").execute()),
    );
    expect((await read).length).toBeGreaterThan(0);
  });

  it("that only locked rows is rolled back, and succeeds", async () => {
    const owner = await server.signUp();
    const { organizationID } = owner;
    const write = server.ctx.audited(async (tx) => {
      await tx
        .updateTable("organizations")
        .set({ name: "Silently" })
        .where("id", "=", organizationID)
        .execute();
      return locked("nothing");
    });
    expect(await write).toBe("nothing");
    expect((await owner.call(whoami)).organization.name).toBe("example.com");
  });

  it("is rolled back if its entry cannot be stored", async () => {
    const owner = await server.signUp();
    const write = server.ctx.audited(async (tx) => {
      await tx
        .updateTable("organizations")
        .set({ name: "Half" })
        .where("id", "=", owner.organizationID)
        .execute();
      return done("", {
        organizationID: owner.organizationID,
        actor: { type: "system" },
        target: { type: "organization", id: owner.organizationID },
        event: "UPDATED",
        before: null,
        after: { name: "\0" },
      });
    });
    await expect(write).rejects.toThrow();
    expect((await owner.call(whoami)).organization.name).toBe("example.com");
  });
});

describe("the log", () => {
  it("is listed newest first, with pages and filters, for its own organization only", async () => {
    const owner = await server.signUp();
    const network = await owner.call(createNetwork, { body: { name: "Watched" } });
    const all = await owner.call(listAuditLogs, { query: { pageSize: 500 } });
    const timestamps = all.data.map(({ timestamp }) => timestamp);
    expect(timestamps).toEqual([...timestamps].sort().reverse());
    expect(timestamps[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

    const ofNetworks = await owner.call(listAuditLogs, { query: { "filter.targetType": "network" } });
    expect(ofNetworks.data.map(({ target }) => target.id)).toEqual([network.id, network.id]);
    const ofTarget = await owner.call(listAuditLogs, { query: { "filter.targetID": network.signingCAID } });
    expect(ofTarget.data.map(({ target }) => target.type)).toEqual(["ca"]);

    const stranger = await server.signUp();
    const theirs = await stranger.call(listAuditLogs, { query: { "filter.targetID": network.id } });
    expect(theirs.data).toEqual([]);
  });

  it("rejects a filter by an unknown type", async () => {
    const owner = await server.signUp();
    const query = { "filter.targetType": "dog" };
    expect(await errorsOf(owner.call(listAuditLogs, { query: query as never }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "filter.targetType" },
    ]);
  });

  it("has no secrets in before and after", async () => {
    const owner = await server.signUp();
    for (const name of Object.keys(expectedEntries).filter((name) => !/delete|signOut|leave/.test(name))) {
      const sample = await prepare(name, server, owner);
      await send(server, name, sample, [owner.userToken, owner.authToken]);
    }
    const [text] = await server.query<{ text: string }>(
      "select string_agg(concat(before, after), ' ') as text from audit_logs",
    );
    expect(text?.text).toContain("CA");
    // An ID has random letters, which may form any short text.
    const textWithoutIDs = text?.text.replaceAll(/\b[a-zA-Z]+-[0-9A-Z]{26}\b/g, "");
    expect(textWithoutIDs).not.toMatch(/secret|private|token|hash|-----BEGIN|otpauth/i);
    for (const secret of [owner.userToken, owner.authToken, owner.totpSecret])
      expect(text?.text).not.toContain(secret);
  });

  it("cannot be changed through the API", async () => {
    const owner = await server.signUp();
    const [entry] = (await owner.call(listAuditLogs)).data;
    for (const path of ["/v1/audit-logs", `/v1/audit-logs/${entry?.id}`])
      for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
        const headers = { authorization: `Bearer ${owner.userToken} ${owner.authToken}` };
        expect([404, 405]).toContain((await fetch(`${server.url}${path}`, { method, headers })).status);
      }
    expect(await errorCodesOf(server.client()(listAuditLogs))).toEqual(["ERR_UNAUTHORIZED"]);
  });
});
