/** The control plane: decides which configuration every host should have, and sends it. */
import type { FindCallingHost } from "../agents/calling-hosts.service.ts";
import type { ControlPlane } from "../agents/control-plane.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { createCertificateIssuer } from "../../nouns/certificates/certificates.service.ts";
import { createReplySigners } from "../../nouns/certificates/signing-keys.service.ts";
import { createDesiredStates } from "./desired-states.ts";
import { createHostReports } from "./host-reports.ts";
import { createHostStates } from "./host-state.ts";
import { createLongPolls } from "./long-polls.ts";
import { createUpdateExpectation, createUpdateFinder } from "./needed-updates.ts";
import { createProvisioning } from "./provision-hosts.ts";
import { createSnapshots } from "./snapshots.ts";
import { createHostUpdates } from "./update-hosts.ts";

export interface ControlOptions {
  findHost: FindCallingHost;
  /** The duration of a poll without anything to do. */
  pollMs?: number | undefined;
  shutdown: AbortSignal;
}

export interface Control extends ControlPlane {
  findHostState: ReturnType<typeof createHostStates>;
  /** The hosts whose polls wait on this process. */
  countWaitingHosts: () => number;
  stop(): Promise<void>;
}

export function createControl(ctx: Context, { findHost, pollMs, shutdown }: ControlOptions): Control {
  const snapshots = createSnapshots(ctx);
  const desired = createDesiredStates();
  const findUpdate = createUpdateFinder(snapshots, desired);
  const expectUpdate = createUpdateExpectation(desired);
  const reports = createHostReports(ctx, { snapshots, desired });
  const parts = {
    snapshots,
    desired,
    issue: createCertificateIssuer(ctx),
    signerOf: createReplySigners(ctx),
  };
  const updates = createHostUpdates(ctx, parts);
  const { configure } = updates;
  const polls = createLongPolls(ctx, {
    snapshots,
    findHost,
    findUpdate,
    expectUpdate,
    configure,
    pollMs,
    shutdown,
  });
  const recordFetch =
    (update: ControlPlane["configure"]): ControlPlane["configure"] =>
    (call, request) =>
      update(call, request).finally(() => polls.recordFetch(call.host));
  return {
    provision: createProvisioning(ctx, parts),
    hasUpdate: async (call) => (await findUpdate(call)) !== undefined,
    wait: polls.wait,
    countHostsToCheck: polls.countHostsToCheck,
    isFetchExpected: polls.isFetchExpected,
    renew: recordFetch(updates.renew),
    configure: recordFetch(configure),
    sign: updates.sign,
    report: reports.report,
    findHostState: createHostStates(ctx, snapshots),
    countWaitingHosts: polls.countWaitingHosts,
    async stop() {
      reports.stop();
      await polls.stop();
    },
  };
}
