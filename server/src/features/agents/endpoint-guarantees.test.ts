/** Devices that enroll by single sign-on keep the guarantees of their organization. */
import {
  createGuarantee,
  createRole,
  type Guarantee,
  listAuditLogs,
  listHostsV2,
  suspendGuarantee,
} from "@lightkeeper/contract";
import { beforeEach, expect, it } from "vitest";
import { allowTcp } from "../../testing/database-fleet.ts";
import { useDeviceEnrollment } from "../../testing/device-enrollment.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { HOUR_MS } from "../../testing/server.ts";

const { state, configure, preauth, poll, signIn, enrollAgent, reauthenticate, requests, approve } =
  useDeviceEnrollment();

const LAPTOPS = "kind:laptop";
let guarantee: Guarantee;
/** Databases accept SSH from laptops, and a guarantee says that no laptop reaches them. There is none yet. */
beforeEach(async () => {
  const { owner, fleet } = state;
  const firewallRules = [allowTcp(22, { allowedTags: [LAPTOPS] })];
  const { id } = await owner.call(createRole, { body: { name: "Database", firewallRules } });
  await fleet.add({ name: "database-1", roleID: id });
  await configure({ endpoint: { tags: [LAPTOPS] } });
  guarantee = await owner.call(createGuarantee, {
    body: {
      type: "MUST_NEVER_REACH",
      source: { type: "tag", id: LAPTOPS },
      destination: { type: "role", id },
      protocol: "ANY",
      description: "Laptops never reach databases",
    },
  });
});

const hostNames = async () => (await state.owner.call(listHostsV2, {})).data.map(({ name }) => name);
const rejections = async () =>
  (await state.owner.call(listAuditLogs, { query: { "filter.action": "REJECTED_CHANGE" } })).data;
const suspend = () => {
  const until = new Date(state.server.ctx.clock().getTime() + HOUR_MS).toISOString();
  const params = { guaranteeID: guarantee.id };
  return state.owner.call(suspendGuarantee, { params, body: { reason: "Rollout", until } });
};

it("a device that would break a guarantee isn't added, and its owner learns no names of hosts", async () => {
  const { pollToken, loginToken } = await preauth();
  expect(await errorsOf(signIn(loginToken))).toEqual([
    {
      code: "ERR_GUARANTEE_VIOLATED",
      message: "this device would break a guarantee of your organization; ask an administrator",
    },
  ]);
  expect(await hostNames()).toEqual(["database-1"]);
  const codes = "select from enrollment_codes where organization_id = $1";
  expect(await state.server.query(codes, [state.owner.organizationID])).toEqual([]);
  expect(await poll(pollToken)).toMatchObject({ state: "STARTED" });
  expect(await rejections()).toMatchObject([
    {
      actor: { type: "oidcUser", email: `ada@${state.domain}` },
      target: { type: "guarantee", id: guarantee.id },
      event: { after: { change: { type: "host", event: "CREATED" } } },
    },
  ]);
});

it("a device is added while the guarantee is suspended, and can sign in again later", async () => {
  await suspend();
  const { pollToken, loginToken } = await preauth();
  expect(await signIn(loginToken)).toMatchObject({ state: "completed", deviceName: "ada-1" });
  const agent = await enrollAgent(pollToken);
  state.server.advance(2 * HOUR_MS);
  agent.skewMs = state.server.ctx.clock().getTime() - Date.now();
  const parameters = await reauthenticate(agent);
  expect(await signIn(parameters.get("loginToken") ?? "")).toMatchObject({ state: "completed" });
  expect(await rejections()).toEqual([]);
});

it("a device that waits for approval can't be approved, and keeps waiting", async () => {
  await configure({ endpoint: { tags: [LAPTOPS], requiresApproval: true } });
  const { pollToken, loginToken } = await preauth();
  expect(await signIn(loginToken)).toMatchObject({ state: "pendingApproval" });
  const [request] = await requests();
  expect(await errorsOf(approve(request?.id ?? ""))).toMatchObject([
    {
      code: "ERR_GUARANTEE_VIOLATED",
      extra: { guarantees: [{ id: guarantee.id, counterexample: { source: { name: "ada-1" } } }] },
    },
  ]);
  expect(await hostNames()).toEqual(["database-1"]);
  expect(await requests()).toEqual([request]);
  expect(await rejections()).toMatchObject([{ actor: { type: "user", email: state.owner.email } }]);
  await suspend();
  expect(await approve(request?.id ?? "")).toMatchObject({ name: "ada-1" });
  expect(await enrollAgent(pollToken)).toBeDefined();
});
