/** Compares everything that the server stores and answers with the model. */
import { type Client, deleteOrganization } from "@lightkeeper/contract";
import { type Call, Mismatch, settle } from "../call.ts";
import { updateAgent } from "../calls/agents.ts";
import { ownerOf } from "../choices.ts";
import type { Driver } from "../driver.ts";
import type { Organization, State } from "../state.ts";
import { checkAccessAnswers } from "./check-access.ts";
import { checkAuditLog } from "./check-audit.ts";
import { checkDatabase, checkDeleted } from "./check-database.ts";
import { checkHostCounts } from "./check-host-counts.ts";
import { checkLists } from "./check-lists.ts";

/** Checks each organization with the requests of its owner. */
async function checkEach(
  driver: Driver,
  state: State,
  check: (call: Client, organization: Organization) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    state.organizations.map((organization, index) =>
      check(driver.clientOf(ownerOf(state, index).id), organization),
    ),
  );
}

export const compareLists = (driver: Driver, state: State): Promise<void> =>
  checkEach(driver, state, checkLists);

export async function checkAll(driver: Driver, state: State): Promise<void> {
  const ids = state.organizations.map(({ id }) => id);
  await Promise.all([
    checkDatabase(driver.server, ids),
    checkEach(driver, state, checkLists),
    checkEach(driver, state, checkHostCounts),
    checkEach(driver, state, checkAccessAnswers),
  ]);
}

/** Every agent fetches its configuration. */
export const listLastCalls = ({ organizations }: State): Call[] =>
  organizations
    .flatMap(({ hosts }) => hosts.filter(({ wasEnrolled }) => wasEnrolled))
    .map(({ id }) => updateAgent(id));

export async function checkAuditLogs(driver: Driver, state: State): Promise<void> {
  while ((await driver.server.ctx.seal()) > 0);
  await checkEach(driver, state, checkAuditLog);
}

export async function removeOrganizations(driver: Driver, state: State): Promise<void> {
  for (const [index, { id }] of state.organizations.entries()) {
    const remove = () =>
      driver.clientOf(ownerOf(state, index).id)(deleteOrganization, { params: { organizationID: id } });
    await remove();
    await checkDeleted(driver.server, id);
    const { codes } = await settle(remove());
    if (codes.join() !== "ERR_UNAUTHORIZED")
      throw new Mismatch(`The owner of the deleted organization ${id} is still logged in`);
  }
}
