import { Breadcrumb } from "../pages/breadcrumb.tsx";
import { Button, LinkButton } from "../controls/button.tsx";
import { Card } from "../pages/card.tsx";
import { Chip } from "../text/chip.tsx";
import { Code } from "../text/code.tsx";
import { DataTable, type Column, type DataTableProps } from "../tables/data-table.tsx";
import { EmptyState } from "../feedback/empty-state.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { MoreIcon, NetworkIcon, PlusIcon } from "../base/icons.tsx";
import styles from "./kit-page.module.css";
import { KeyValue, KeyValueList } from "../text/key-value.tsx";
import { Menu } from "../overlays/menu.tsx";
import { PageHeader } from "../pages/page-header.tsx";
import { SkeletonRows } from "../feedback/skeleton.tsx";
import { Status } from "../feedback/status.tsx";
import { Time } from "../text/time.tsx";
import { toast } from "../feedback/toast.ts";

interface Sample {
  name: string;
  tone: "ok" | "off" | "warn" | "bad" | "new";
  status: string;
  address: string;
  tags: string[];
  seenAt: string;
  count: number;
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

const samples: Sample[] = [
  {
    name: "production",
    tone: "ok",
    status: "Online",
    address: "100.100.0.0/22",
    tags: ["env:prod", "region:eu-1"],
    seenAt: ago(12),
    count: 1204,
  },
  {
    name: "db-replica",
    tone: "warn",
    status: "Expires in 9 days",
    address: "100.100.0.22",
    tags: ["tier:db"],
    seenAt: ago(130),
    count: 12,
  },
  {
    name: "laptop-old",
    tone: "bad",
    status: "Blocked",
    address: "100.100.1.9",
    tags: [],
    seenAt: ago(41 * 86_400),
    count: 3,
  },
  {
    name: "a-rather-long-name-that-somebody-gave-to-a-machine-in-a-hurry",
    tone: "new",
    status: "Not enrolled",
    address: "100.100.2.1",
    tags: ["team:sre"],
    seenAt: ago(3 * 86_400),
    count: 0,
  },
];

const columns: Column<Sample>[] = [
  { id: "name", header: "Name", cell: (row) => row.name },
  { id: "status", header: "Status", cell: (row) => <Status tone={row.tone}>{row.status}</Status> },
  {
    id: "address",
    header: "Address",
    cell: (row) => <Code copy={`address of ${row.name}`}>{row.address}</Code>,
  },
  {
    id: "tags",
    header: "Tags",
    hideBelow: "small",
    cell: (row) => row.tags.map((tag) => <Chip key={tag}>{tag}</Chip>),
  },
  { id: "seen", header: "Last seen", cell: (row) => <Time at={row.seenAt} /> },
  { id: "count", header: "Hosts", align: "end", cell: (row) => row.count.toLocaleString("en") },
  {
    id: "menu",
    header: "Actions",
    hideHeader: true,
    align: "end",
    width: 48,
    cell: (row) => (
      <Menu
        trigger={
          <IconButton label={`Actions for ${row.name}`} icon={<MoreIcon />} tooltip={false} size="small" />
        }
        items={[{ label: "Edit", onSelect: () => toast(`Edit ${row.name}`) }]}
      />
    ),
  },
];

const empty = (
  <EmptyState
    icon={<NetworkIcon />}
    title="No networks yet"
    action={
      <LinkButton to="#add" variant="primary">
        Add network
      </LinkButton>
    }
  >
    A network is a range of addresses that its hosts share. Add one, then add hosts to it.
  </EmptyState>
);

function SampleTable(props: Partial<DataTableProps<Sample>>) {
  return (
    <DataTable
      label="Networks"
      columns={columns}
      rows={undefined}
      rowKey={(row) => row.name}
      rowLink={(row) => `#${row.name}`}
      empty={empty}
      {...props}
    />
  );
}

const retry = () => toast("Trying again", { tone: "info" });
const failure = { message: "The server is unreachable.", requestID: "req-4F2Q7XKJ", onRetry: retry };

export function KitData() {
  return (
    <>
      <section className={styles.section} aria-label="Lists">
        <PageHeader
          title="Networks"
          count={1204}
          lead="Each network is an isolated overlay with its own address range and certificate authority."
          actions={
            <>
              <Button>Import</Button>
              <Button variant="primary" icon={<PlusIcon />}>
                Add network
              </Button>
            </>
          }
        />
        <SampleTable rows={samples} pagination={{ start: 0, count: 25, total: 1204, onNext: retry }} />
        <SampleTable label="Refreshing" rows={samples.slice(0, 2)} refreshing />
        <SampleTable label="Out of date" rows={samples.slice(0, 1)} failure={failure} />
        <SampleTable label="Loading" skeletonRows={3} />
        <SampleTable label="Empty" rows={[]} />
        <SampleTable rows={[]} filter={{ description: "No network matches “stagging”.", onClear: retry }} />
        <SampleTable failure={failure} />
      </section>
      <Details />
    </>
  );
}

function Details() {
  return (
    <section className={styles.section} aria-label="Details">
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={[{ label: "Hosts", to: "/hosts" }]} />}
        title="db-primary"
        aside={
          <>
            <Status tone="ok">Online</Status>
            <Chip>env:prod</Chip>
          </>
        }
        actions={<Button>Edit</Button>}
      />
      <div className={styles.grid}>
        <Card title="Identity" padded={false}>
          <KeyValueList>
            <KeyValue label="Overlay address" mono copy="100.100.0.21">
              100.100.0.21
            </KeyValue>
            <KeyValue label="Network">Production</KeyValue>
            <KeyValue label="Certificate" mono copy="9597f9bd">
              9597f9bd0c5e1f7a46b2d98e33c7a1f0b8d2e4c69f17ab3508d4c2e1f98f64b9
            </KeyValue>
            <KeyValue label="Config">
              <Status tone="ok">In sync</Status>
            </KeyValue>
          </KeyValueList>
        </Card>
        <Card title="On its way" actions={<Button size="small">Refresh</Button>} padded={false}>
          <SkeletonRows rows={4} />
        </Card>
      </div>
    </section>
  );
}
