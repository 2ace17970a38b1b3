import type { AccessPreview } from "@lightkeeper/contract";
import { formatCount } from "../lib/format.ts";
import { trafficLabel } from "../rules/traffic-labels.ts";

/** "Your device laptop-9 can no longer reach 18 hosts on TCP 5432." */
export function LostAccess({ lost }: { lost: AccessPreview["ownAccessLost"][number] }) {
  const { host, traffic, destinationCount } = lost;
  return (
    <>
      Your device{" "}
      <b>
        <bdi>{host.name}</bdi>
      </b>{" "}
      can no longer reach {formatCount(destinationCount, "host")} on {trafficLabel(traffic)}.
    </>
  );
}
