import { caRotationSteps, type CaRotation, type Network } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import { NetworkLink } from "../references/network-link.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { Time } from "../ui/text/time.tsx";
import { rotatePath } from "./ca-paths.ts";
import { rotatingNetworks } from "./ca-words.ts";
import { allCasQuery, isUnderWay, rotationQuery } from "./certificate-authorities.queries.ts";
import styles from "./certificate-authorities.module.css";

/** How far every replacement has come. */
export function Rotations({ networks }: { networks: readonly Network[] | undefined }) {
  const { data } = useQuery(allCasQuery);
  const rotating = new Set(data && rotatingNetworks(data));
  return networks
    ?.filter(({ id }) => rotating.has(id))
    .map((network) => <Rotation key={network.id} network={network} />);
}

const stepWords: Record<CaRotation["step"], string> = {
  TRUST: "Hosts learn to trust the new authority",
  REISSUE: "Hosts get certificates of the new authority",
  DONE: "The old authority is retired",
};

function Rotation({ network }: { network: Network }) {
  const { data: rotation } = useQuery(rotationQuery(network.id));
  if (!isUnderWay(rotation)) return null;
  const at = caRotationSteps.indexOf(rotation.step);
  const canGoOn = !rotation.isForced && rotation.waitingFor.hosts.some(({ isOnline }) => !isOnline);
  return (
    <Card
      title={
        <>
          Rotating the authority of <NetworkLink network={network} />
        </>
      }
      actions={
        canGoOn && (
          <LinkButton writes size="small" to={rotatePath(network.id)}>
            Go on without offline hosts…
          </LinkButton>
        )
      }
    >
      <ol className={styles.steps}>
        {caRotationSteps.map((step, index) => (
          <li key={step} aria-current={index === at ? "step" : undefined} className={styles.step}>
            <Status tone={index < at ? "ok" : index === at ? "new" : "off"}>
              {index < at ? "Done" : index === at ? "Under way" : "To come"}
            </Status>
            <div>
              <p>{stepWords[step]}</p>
              {index === at && <Waiting rotation={rotation} />}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

const HOSTS_SHOWN = 5;

function Waiting({ rotation: { waitingFor, isForced, stepStartedAt } }: { rotation: CaRotation }) {
  const { hostCount, hosts } = waitingFor;
  const more = hostCount - Math.min(hosts.length, HOSTS_SHOWN);
  return (
    <div className={styles.waiting} role="status">
      {hostCount === 0 ? (
        "Every host has done its part; the next step follows by itself."
      ) : (
        <>
          Waiting for {formatCount(hostCount, "host")} since <Time at={stepStartedAt} />:{" "}
          {hosts.slice(0, HOSTS_SHOWN).map(({ id, name, isOnline }, index) => (
            <span key={id}>
              {index > 0 && ", "}
              <Link to={`/hosts/${encodeURIComponent(id)}`} dir="auto">
                {name}
              </Link>
              {!isOnline && " (offline)"}
            </span>
          ))}
          {more > 0 && ` and ${formatNumber(more)} more`}.
          {isForced && " Those that are offline are not waited for."}
        </>
      )}
    </div>
  );
}
