/** The control plane: what every host should have, and how it comes to have it. */
import type { ControlPlane } from "../agents/control-plane.ts";
import type { Context } from "../context.ts";
import { createCertificateIssuer } from "../enrollment/certificates.service.ts";
import { createAnswerSigners } from "../enrollment/signing-keys.service.ts";
import { createEnrollment } from "./enroll-hosts.ts";
import { createHostReports } from "./host-reports.ts";
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
  stop(): Promise<void>;
}

export function createControl(ctx: Context, { holdMs, shutdown }: ControlOptions): Control {
  const snapshots = createSnapshots(ctx);
  const findUpdate = createUpdateFinder(snapshots);
  const polls = createLongPolls(ctx, { snapshots, findUpdate, holdMs, shutdown });
  const parts = { snapshots, issue: createCertificateIssuer(ctx), signerOf: createAnswerSigners(ctx) };
  return {
    enroll: createEnrollment(ctx, parts),
    hasUpdate: async (call) => (await findUpdate(call)) !== undefined,
    wait: polls.hold,
    ...createHostUpdates(ctx, parts),
    report: createHostReports(ctx, snapshots),
    stop: polls.stop,
  };
}
