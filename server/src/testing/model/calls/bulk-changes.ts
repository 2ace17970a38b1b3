/** Changes of many hosts in one request, which a job makes in the background. */
import { bulkHosts, getJob } from "@lightkeeper/contract";
import { callApi, Mismatch } from "../call.ts";
import { chooseCaller } from "../choices.ts";
import { writing } from "../permissions.ts";
import { getByID, type ModelHost, type Organization, record, removeByID } from "../state.ts";
import type { CallFactories } from "./factories.ts";
import { revokeCertificates } from "./host-access.ts";

const isRouter = ({ routes }: Organization, { id }: ModelHost): boolean =>
  routes.some(({ routerHostID }) => routerHostID === id);

/** Hosts that would stay the same, and routers that would be deleted, are skipped. */
function changeHost(
  changed: Organization,
  actor: string,
  host: ModelHost,
  action: "block" | "unblock" | "delete",
): void {
  const isBlocking = action === "block";
  if (action === "delete" ? isRouter(changed, host) : host.isBlocked === isBlocking) return;
  revokeCertificates(changed, host);
  if (action === "delete") {
    removeByID(changed.hosts, host.id);
    return record(changed, actor, ["host", host.id], "DELETED");
  }
  host.isBlocked = isBlocking;
  if (!isBlocking) host.code = null;
  record(changed, actor, ["host", host.id], isBlocking ? "BLOCKED_HOST" : "UNBLOCKED_HOST");
}

export const bulkCalls: CallFactories = {
  bulkHosts: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const { hosts } = state.organizations[caller.organization]!;
    const ids = choices.some(hosts.map(({ id }) => id));
    if (ids.length === 0) return undefined;
    const action = choices.pick(["block", "unblock", "delete"] as const);
    const call = callApi({
      caller,
      permission: writing("hosts:update", "hosts:block", "hosts:unblock", "hosts:delete"),
      name: "bulkHosts",
      endpoint: bulkHosts,
      input: { body: { ids, action } },
      predict: (_, actor) => ({
        problems: [],
        change: (changed) => {
          for (const id of ids) changeHost(changed, actor, getByID(changed.hosts, id), action);
        },
      }),
    });
    return {
      ...call,
      send: async (driver) => {
        const reply = await call.send(driver);
        if (reply.codes.length > 0) return reply;
        await driver.server.app.jobs.drain();
        const params = reply.data as { jobID: string };
        const job = await driver.clientOf(caller.id)(getJob, { params });
        if (job.state !== "done" || job.done !== ids.length)
          throw new Mismatch(`The job is ${job.state} after ${job.done} of ${ids.length} hosts`);
        return reply;
      },
    };
  },
};
