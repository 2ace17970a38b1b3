import type { HostState, HostV2, Tunnel } from "@lightkeeper/contract";
import { useState } from "react";
import { Link } from "react-router";
import { formatNumber } from "../lib/format.ts";
import { hostKinds } from "../references/host-link.tsx";
import { classNames } from "../ui/base/class-names.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Code } from "../ui/text/code.tsx";
import { Time } from "../ui/text/time.tsx";
import { NotReported } from "./not-reported.tsx";
import styles from "./host-tunnels-card.module.css";

const TUNNELS_SHOWN = 50;

/** "7 · 5 direct, 2 relayed" */
function titleOf(tunnels: readonly Tunnel[]): string {
  const countOf = (path: Tunnel["path"]) => tunnels.filter((tunnel) => tunnel.path === path).length;
  const [direct, relayed] = [countOf("direct"), countOf("relayed")];
  const paths = [
    ...(direct > 0 ? [`${formatNumber(direct)} direct`] : []),
    ...(relayed > 0 ? [`${formatNumber(relayed)} relayed`] : []),
  ];
  return ["Tunnels", formatNumber(tunnels.length), ...(paths.length > 0 ? [paths.join(", ")] : [])].join(
    " · ",
  );
}

const nameOf = ({ hostName, vpnIp }: Tunnel) => hostName ?? vpnIp;

function explainNoTunnels({ isBlocked, metadata }: HostV2): string {
  if (isBlocked) return "Other hosts close their tunnels to this host when they apply the block.";
  return metadata.statuses.includes("online") ? "No active tunnels." : "Shown when the host is online.";
}

export function TunnelsCard({ host, state: { tunnels } }: { host: HostV2; state: HostState }) {
  const [showsAll, setShowsAll] = useState(false);
  if (tunnels.length === 0)
    return (
      <Card title="Tunnels">
        <p className={styles.muted}>{explainNoTunnels(host)}</p>
      </Card>
    );
  const sorted = tunnels.toSorted((one, other) =>
    nameOf(one).localeCompare(nameOf(other), "en", { numeric: true }),
  );
  return (
    <Card title={titleOf(tunnels)} padded={false}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Host</th>
            <th scope="col">Path</th>
            <th scope="col">Endpoint</th>
            <th scope="col">Last handshake</th>
            <th scope="col" className={styles.end}>
              Latency
            </th>
          </tr>
        </thead>
        <tbody>
          {(showsAll ? sorted : sorted.slice(0, TUNNELS_SHOWN)).map((tunnel) => (
            <TunnelRow key={tunnel.vpnIp} tunnel={tunnel} />
          ))}
        </tbody>
      </table>
      {tunnels.some(({ latencyMs }) => latencyMs !== null) && (
        <p className={styles.note}>
          Latency is the duration of the last direct handshake that this host started.
        </p>
      )}
      {!showsAll && tunnels.length > TUNNELS_SHOWN && (
        <div className={styles.all}>
          <Button size="small" onClick={() => setShowsAll(true)}>
            Show all {formatNumber(tunnels.length)} tunnels
          </Button>
        </div>
      )}
    </Card>
  );
}

function TunnelRow({ tunnel }: { tunnel: Tunnel }) {
  const { vpnIp, path, handshakeAt, latencyMs } = tunnel;
  return (
    <tr>
      <td className={styles.host}>
        <PeerName peer={tunnel} />
        <Code copy={`address ${vpnIp}`}>{vpnIp}</Code>
      </td>
      <td data-label="Path">{path === null ? <NotReported /> : <Path path={path} />}</td>
      <td data-label="Endpoint">
        <Endpoint tunnel={tunnel} />
      </td>
      <td data-label="Last handshake" className={styles.muted}>
        {handshakeAt === null ? <NotReported /> : <Time at={handshakeAt} past />}
      </td>
      <td data-label="Latency" className={styles.end}>
        {latencyMs === null ? <NotReported /> : formatLatency(latencyMs)}
      </td>
    </tr>
  );
}

/** "0.8 ms", "11 ms" */
const formatLatency = (ms: number) =>
  `${formatNumber(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))} ms`;

function PeerName({ peer: { vpnIp, hostID, hostName } }: { peer: Tunnel["relays"][number] }) {
  if (hostID === undefined)
    return <span className={classNames(styles.name, styles.muted)}>Unknown host</span>;
  return (
    <Link to={`${hostKinds.host.path}/${encodeURIComponent(hostID)}`} className={styles.name} dir="auto">
      {hostName ?? vpnIp}
    </Link>
  );
}

/** A direct path is a solid line, a relayed one is dashed. */
function Path({ path }: { path: NonNullable<Tunnel["path"]> }) {
  const isDirect = path === "direct";
  return (
    <span className={styles.path}>
      <svg width={22} height={10} aria-hidden="true" className={styles.line}>
        <path
          d="M1 5h20"
          stroke="currentColor"
          strokeWidth={1.6}
          strokeDasharray={isDirect ? undefined : "4.5 4"}
        />
      </svg>
      {isDirect ? "Direct" : "Relayed"}
    </span>
  );
}

function Endpoint({ tunnel: { path, remoteAddress, relays } }: { tunnel: Tunnel }) {
  if (path === null) return <NotReported />;
  if (remoteAddress !== null) return <code className={styles.mono}>{remoteAddress}</code>;
  return (
    <span className={styles.muted}>
      via{" "}
      {relays.map((relay, index) => (
        <span key={relay.vpnIp}>
          {index > 0 && ", "}
          {relay.hostID === undefined ? (
            <code className={styles.mono}>{relay.vpnIp}</code>
          ) : (
            <PeerName peer={relay} />
          )}
        </span>
      ))}
    </span>
  );
}
