/** Compares everything that the server stores and answers with the model. */
import { deleteOrganization } from "@lightkeeper/contract";
import { type Call, Mismatch, settle } from "../call.ts";
import { updateAgent } from "../calls/agents.ts";
import { ownerOf } from "../choices.ts";
import type { Driver } from "../driver.ts";
import type { State } from "../state.ts";
import { checkAccessAnswers } from "./check-access.ts";
import { checkAuditLog } from "./check-audit.ts";
import { checkDatabase, checkDeleted } from "./check-database.ts";
import { checkHostCounts } from "./check-host-counts.ts";
import { checkLists } from "./check-lists.ts";

export async function compareLists(driver: Driver, state: State): Promise<void> {
  for (const [index, organization] of state.organizations.entries())
    await checkLists(driver.clientOf(ownerOf(state, index).id), organization);
}

export async function checkAll(driver: Driver, state: State): Promise<void> {
  const ids = state.organizations.map(({ id }) => id);
  await checkDatabase(driver.server, ids);
  for (const [index, organization] of state.organizations.entries()) {
    const call = driver.clientOf(ownerOf(state, index).id);
    await checkLists(call, organization);
    await checkHostCounts(call, organization);
    await checkAccessAnswers(call, organization);
  }
}

/** Every agent fetches its configuration. */
export const listLastCalls = ({ organizations }: State): Call[] =>
  organizations
    .flatMap(({ hosts }) => hosts.filter(({ wasEnrolled }) => wasEnrolled))
    .map(({ id }) => updateAgent(id));

export async function checkAuditLogs(driver: Driver, state: State): Promise<void> {
  while ((await driver.server.ctx.seal()) > 0);
  for (const [index, organization] of state.organizations.entries())
    await checkAuditLog(driver.clientOf(ownerOf(state, index).id), organization);
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
