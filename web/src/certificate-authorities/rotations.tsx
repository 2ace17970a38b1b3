import {
  caRotationSteps,
  type CaRotation,
  type CertificateAuthority,
  type NetworkV2,
} from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import { NetworkLink } from "../references/network-link.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { StepList } from "../ui/on-demand/step-list.tsx";
import { Time } from "../ui/text/time.tsx";
import { rotatePath } from "../references/ca-paths.ts";
import { allCasQuery, isInProgress, rotationQuery } from "./certificate-authorities.queries.ts";

/** The progress of every CA rotation. */
export function Rotations({ networks }: { networks: readonly NetworkV2[] | undefined }) {
  const { data } = useQuery(allCasQuery);
  const rotatingIDs = new Set(data && rotatingNetworkIDs(data));
  return networks
    ?.filter(({ id }) => rotatingIDs.has(id))
    .map((network) => <Rotation key={network.id} network={network} />);
}

/** Networks with more than one CA that isn't retired. */
function rotatingNetworkIDs(cas: readonly CertificateAuthority[]): string[] {
  const networkIDs = cas.filter(({ state }) => state !== "RETIRED").map(({ networkID }) => networkID);
  return networkIDs.filter((id, index) => networkIDs.indexOf(id) !== index);
}

const stepLabels: Record<CaRotation["step"], string> = {
  TRUST: "Distribute the new CA",
  REISSUE: "Reissue host certificates",
  DONE: "Retire the old CA",
};

function Rotation({ network }: { network: NetworkV2 }) {
  const { data: rotation } = useQuery(rotationQuery(network.id));
  if (!isInProgress(rotation)) return null;
  const canSkipOffline = !rotation.isForced && rotation.waitingFor.hosts.some(({ isOnline }) => !isOnline);
  return (
    <Card
      title={
        <>
          Rotating the CA of <NetworkLink network={network} />
        </>
      }
      actions={
        canSkipOffline && (
          <LinkButton writes size="small" to={rotatePath(network.id)}>
            Skip offline hosts…
          </LinkButton>
        )
      }
    >
      <StepList steps={caRotationSteps} labels={stepLabels} current={rotation.step}>
        <Waiting rotation={rotation} />
      </StepList>
    </Card>
  );
}

const SHOWN_HOSTS_MAX = 5;

function Waiting({ rotation: { waitingFor, isForced, stepStartedAt } }: { rotation: CaRotation }) {
  const { hostCount, hosts } = waitingFor;
  const more = hostCount - Math.min(hosts.length, SHOWN_HOSTS_MAX);
  return (
    <div role="status">
      {hostCount === 0 ? (
        "All hosts are done. Moving to the next step…"
      ) : (
        <>
          Waiting for {formatCount(hostCount, "host")} since <Time at={stepStartedAt} />:{" "}
          {hosts.slice(0, SHOWN_HOSTS_MAX).map(({ id, name, isOnline }, index) => (
            <span key={id}>
              {index > 0 && ", "}
              <Link to={`/hosts/${encodeURIComponent(id)}`} dir="auto">
                {name}
              </Link>
              {!isOnline && " (offline)"}
            </span>
          ))}
          {more > 0 && ` and ${formatNumber(more)} more`}.{isForced && " Offline hosts are skipped."}
        </>
      )}
    </div>
  );
}
