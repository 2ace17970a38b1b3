import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import { accessFromPath } from "../references/access-paths.ts";
import { statusLabels } from "../references/host-filters.ts";
import { hostPath } from "../references/host-link.tsx";
import { hostStateQuery } from "../hosts/host-state.queries.ts";
import { routePath } from "../references/route-link.tsx";
import { TagChips } from "../references/tag-chips.tsx";
import { CloseIcon } from "../ui/base/icons.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { Status, type StatusProps } from "../ui/feedback/status.tsx";
import { LineSign } from "./map-legend.tsx";
import { countPaths, peerOf, tunnelsOf, type MapHost, type MapTunnel, type Mark } from "./map-model.ts";
import styles from "./map-panel.module.css";
import type { LoadedScene, RoleName } from "./use-map-scene.ts";

const tones: Readonly<Record<Mark, StatusProps["tone"]>> = {
  online: "ok",
  offline: "off",
  neverEnrolled: "new",
  blocked: "bad",
  drifted: "warn",
};

/** Whether the host is online, without the state of its configuration. */
const presenceOf = ({ mark }: MapHost): Mark => (mark === "drifted" ? "online" : mark);

export const MarkStatus = ({ mark }: { mark: Mark }) => (
  <Status tone={tones[mark]}>{statusLabels[mark]}</Status>
);

interface MapPanelProps {
  scene: LoadedScene;
  host: MapHost;
  roleName: RoleName;
  onSelect: (position: number) => void;
  onClose: () => void;
}

/** The selected host; on phones, a sheet at the bottom. */
export function MapPanel({ scene, host, roleName, onSelect, onClose }: MapPanelProps) {
  const tunnels = tunnelsOf(scene.tunnels, host.position);
  const role = host.roleID === null ? undefined : roleName(host.roleID);
  return (
    <aside
      aria-label="Selected host"
      className={styles.panel}
      onKeyDown={({ key }) => key === "Escape" && onClose()}
    >
      <header className={styles.header}>
        <h2 className={styles.title}>
          <bdi>{host.name}</bdi>
        </h2>
        <IconButton label="Close" size="small" icon={<CloseIcon />} onClick={onClose} />
        <p className={styles.states}>
          <MarkStatus mark={presenceOf(host)} />
          {host.statuses.includes("expiring") && <Status tone="warn">{statusLabels.expiring}</Status>}
          <span>{role ?? "No role"}</span>
        </p>
      </header>
      <Properties host={host} />
      <Tunnels scene={scene} host={host} tunnels={tunnels} onSelect={onSelect} />
      <Routes scene={scene} host={host} tunnels={tunnels} />
      <footer className={styles.footer}>
        <LinkButton to={hostPath(host)} size="small" wide>
          Open host
        </LinkButton>
        <LinkButton to={accessFromPath(host)} size="small" wide>
          Check access
        </LinkButton>
      </footer>
    </aside>
  );
}

function Properties({ host }: { host: MapHost }) {
  return (
    <dl className={styles.properties}>
      <div>
        <dt>Address</dt>
        <dd className={styles.mono}>{host.ipAddress}</dd>
      </div>
      <div>
        <dt>Tags</dt>
        <dd>{host.tags.length > 0 ? <TagChips tags={host.tags} max={6} /> : "None"}</dd>
      </div>
      <div>
        <dt>Configuration</dt>
        <dd>
          <Configuration host={host} />
        </dd>
      </div>
    </dl>
  );
}

function Configuration({ host: { mark, statuses, isReporting } }: { host: MapHost }) {
  if (statuses.includes("drifted")) return <Status tone="warn">{statusLabels.drifted}</Status>;
  if (mark === "blocked") return "Blocked: gets no configuration";
  if (mark === "neverEnrolled") return "Shown after enrollment";
  return isReporting ? <Status tone="ok">In sync</Status> : "Not reported";
}

/** More are on the page of the host. */
const TUNNELS_SHOWN_MAX = 50;

function countText(tunnels: readonly MapTunnel[]): string {
  const { direct, relayed, unknown } = countPaths(tunnels);
  const parts = [
    direct > 0 && `${formatNumber(direct)} direct`,
    relayed > 0 && `${formatNumber(relayed)} relayed`,
    unknown > 0 && `${formatNumber(unknown)} not reported`,
  ].filter(Boolean);
  return [formatNumber(tunnels.length), parts.join(", ")].filter(Boolean).join(" · ");
}

interface TunnelsProps {
  scene: LoadedScene;
  host: MapHost;
  tunnels: readonly MapTunnel[];
  onSelect: (position: number) => void;
}

function Tunnels({ scene, host, tunnels, onSelect }: TunnelsProps) {
  const latencies = useLatencies(host, tunnels.length > 0);
  if (!host.isReporting && host.mark !== "blocked" && tunnels.length === 0)
    return <Section title="Tunnels" count="Not reported" />;
  const { hosts } = scene.model;
  return (
    <Section title="Tunnels" count={countText(tunnels)}>
      <ul className={styles.list}>
        {tunnels.slice(0, TUNNELS_SHOWN_MAX).map((tunnel) => {
          const peer = hosts[peerOf(tunnel, host.position)];
          return (
            peer && (
              <li key={peer.id} className={styles.item}>
                <LineSign kind={tunnel.path === "relayed" ? "relayed" : "direct"} width={22} />
                <span>
                  <button type="button" className={styles.peer} onClick={() => onSelect(peer.position)}>
                    <bdi>{peer.name}</bdi>
                  </button>
                  <small>
                    {pathText(tunnel, tunnel.relay === null ? undefined : hosts[tunnel.relay]?.name)}
                  </small>
                </span>
                <span className={styles.latency}>{latencies.get(peer.id)}</span>
              </li>
            )
          );
        })}
      </ul>
      {tunnels.length > TUNNELS_SHOWN_MAX && (
        <p className={styles.more}>and {formatCount(tunnels.length - TUNNELS_SHOWN_MAX, "more", "more")}</p>
      )}
    </Section>
  );
}

function pathText({ path }: MapTunnel, relay: string | undefined): string {
  if (path === "unknown") return "Path not reported";
  if (path === "direct") return "Direct";
  return relay === undefined ? "Relayed" : `Relayed via ${relay}`;
}

const formatLatency = (ms: number) => (ms < 1 ? "<1 ms" : `${Math.round(ms)} ms`);

/** By ID of the other host, where the agent has measured it. */
function useLatencies({ id, isReporting }: MapHost, hasTunnels: boolean): ReadonlyMap<string, string> {
  const { data } = useQuery({ ...hostStateQuery(id), enabled: isReporting && hasTunnels });
  return new Map(
    data?.tunnels.flatMap(({ hostID, latencyMs }) =>
      hostID !== undefined && latencyMs !== null ? [[hostID, formatLatency(latencyMs)]] : [],
    ),
  );
}

/** The routes that the host serves, and those of routers that it has a tunnel to. */
function Routes({ scene, host, tunnels }: Pick<TunnelsProps, "scene" | "host" | "tunnels">) {
  const peers = new Set(tunnels.map((tunnel) => peerOf(tunnel, host.position)));
  const routes = scene.model.routes.filter(({ router }) => router === host.position || peers.has(router));
  if (routes.length === 0) return null;
  return (
    <Section title="Routes" count={formatNumber(routes.length)}>
      <ul className={styles.list}>
        {routes.map(({ id, name, router, subnets }) => (
          <li key={id} className={styles.item}>
            <LineSign kind="route" width={22} />
            <span>
              <Link to={routePath(id)} className={styles.peer}>
                {subnets.join(", ") || name}
              </Link>
              <small>
                <bdi>{name}</bdi>
                {router !== host.position && <> via {scene.model.hosts[router]?.name}</>}
              </small>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface SectionProps {
  title: string;
  count: string;
  children?: ReactNode;
}

function Section({ title, count, children }: SectionProps) {
  return (
    <section className={styles.section}>
      <h3>
        {title} <span>{count}</span>
      </h3>
      {children}
    </section>
  );
}
