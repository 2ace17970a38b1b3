import type { CertificateAuthority, NetworkV2 } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";
import { describeCertificates } from "../on-demand/certificate-labels.ts";
import { NetworkLink } from "../references/network-link.tsx";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import type { Column } from "../ui/tables/data-table.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { MoreIcon, RefreshIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { NameCell } from "../ui/text/name-cell.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { Time } from "../ui/text/time.tsx";
import { rotatePath } from "../references/ca-paths.ts";
import { caStates } from "./ca-states.ts";
import styles from "./certificate-authorities.module.css";

const FINGERPRINT_LENGTH = 16;

const certificateColumns: Column<CertificateAuthority>[] = [
  {
    id: "certificates",
    header: "Certificates",
    hideBelow: "small",
    phone: "hidden",
    cell: describeCertificates,
  },
  {
    id: "hosts",
    header: "Hosts",
    align: "end",
    phone: ({ hostCount }) => formatCount(hostCount, "host"),
    cell: ({ hostCount }) => formatNumber(hostCount),
  },
  {
    id: "firstHostCertificate",
    header: "First host certificate expires",
    hideBelow: "small",
    phone: "hidden",
    cell: ({ firstCertificateExpiresAt: at }) => (at ? <Time at={at} /> : "—"),
  },
  {
    id: "expires",
    header: "Expires",
    hideBelow: "narrow",
    phone: ({ notAfter }) => (
      <>
        Expires <Time at={notAfter} />
      </>
    ),
    cell: ({ notAfter }) => <Time at={notAfter} />,
  },
];

export function caColumns(networks: readonly NetworkV2[] | undefined): Column<CertificateAuthority>[] {
  const networkOf = ({ networkID }: CertificateAuthority) => networks?.find(({ id }) => id === networkID);
  return [
    { id: "name", header: "Name", width: "30%", cell: (ca) => <CaName ca={ca} /> },
    {
      id: "network",
      header: "Network",
      width: "22%",
      phone: (ca) => <bdi title={networkOf(ca)?.name}>{networkOf(ca)?.name}</bdi>,
      cell: (ca) => <NetworkCell network={networkOf(ca)} />,
    },
    {
      id: "state",
      header: "State",
      phone: "beside",
      cell: ({ state }) => (
        <span title={caStates[state].description}>
          <Status tone={caStates[state].tone}>{caStates[state].label}</Status>
        </span>
      ),
    },
    ...certificateColumns,
    menuColumn((ca) => ca.state === "SIGNING" && <RowMenu ca={ca} />),
  ];
}

function CaName({ ca: { name, fingerprint } }: { ca: CertificateAuthority }) {
  return (
    <div className={styles.name}>
      <bdi className={styles.strong}>{name}</bdi>
      <span className={styles.fingerprint}>
        <code title={fingerprint}>{fingerprint.slice(0, FINGERPRINT_LENGTH)}…</code>
        <CopyButton what={`fingerprint of ${name}`} value={fingerprint} />
      </span>
    </div>
  );
}

function NetworkCell({ network }: { network: NetworkV2 | undefined }) {
  return (
    network && (
      <NameCell>
        <NetworkLink network={network} />
      </NameCell>
    )
  );
}

function RowMenu({ ca: { name, networkID } }: { ca: CertificateAuthority }) {
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${name}`} icon={<MoreIcon />} tooltip={false} />}
      items={[{ label: "Rotate…", writes: true, icon: <RefreshIcon />, to: rotatePath(networkID) }]}
    />
  );
}
