/** The control plane: what every host should have, and how it comes to have it. */
import type { ControlPlane } from "../agents/control-plane.ts";
import type { Context } from "../context.ts";
import { createCertificateIssuer } from "../enrollment/certificates.service.ts";
import { createAnswerSigners } from "../enrollment/signing-keys.service.ts";
import { createEnrollment } from "./enroll-hosts.ts";
import { createHostReports } from "./host-reports.ts";
import { createHostStates } from "./host-state.ts";
import { createLongPolls } from "./long-polls.ts";
import { createUpdateFinder } from "./needed-updates.ts";
import { createSnapshots } from "./snapshots.ts";
import { createHostUpdates } from "./update-hosts.ts";

export interface ControlOptions {
  /** How long a poll is held when there is nothing to do. */
  holdMs?: number | undefined;
  shutdown: AbortSignal;
}

export interface Control extends ControlPlane {
  findHostState: ReturnType<typeof createHostStates>;
  stop(): Promise<void>;
}

export function createControl(ctx: Context, { holdMs, shutdown }: ControlOptions): Control {
  const snapshots = createSnapshots(ctx);
  const findUpdate = createUpdateFinder(snapshots);
  const polls = createLongPolls(ctx, { snapshots, findUpdate, holdMs, shutdown });
  const reports = createHostReports(ctx, snapshots);
  const parts = { snapshots, issue: createCertificateIssuer(ctx), signerOf: createAnswerSigners(ctx) };
  return {
    enroll: createEnrollment(ctx, parts),
    hasUpdate: async (call) => (await findUpdate(call)) !== undefined,
    wait: polls.hold,
    ...createHostUpdates(ctx, parts),
    report: reports.report,
    findHostState: createHostStates(ctx, snapshots),
    async stop() {
      reports.stop();
      await polls.stop();
    },
  };
}
