import type { HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Navigate, Outlet, useLocation, useNavigate, useParams } from "react-router";
import { Loaded } from "../lib/loaded.tsx";
import { useShortcut } from "../lib/shortcuts.ts";
import { usePageTitle } from "../lib/title.ts";
import { TagChips } from "../references/tag-chips.tsx";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { EditIcon, KeyIcon } from "../ui/base/icons.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { Tabs } from "../ui/controls/tabs.tsx";
import { Time } from "../ui/text/time.tsx";
import { useHostKind } from "../references/host-kind.ts";
import { hostCrumbs, hostKinds, hostPath, type HostKind } from "../references/host-link.tsx";
import { HostMenu } from "../references/host-menu.tsx";
import { HostStatus } from "../references/host-status.tsx";
import { hostQuery } from "../references/hosts.queries.ts";

/** The layout around a host's tabs, which get the host from `useOutletContext`. */
export function HostPage() {
  const { hostID = "" } = useParams();
  const kind = useHostKind();
  const query = useQuery(hostQuery(hostID));
  const { label, path } = hostKinds[kind];
  return (
    <Loaded query={query} title={label} crumbs={[{ label, to: path }]}>
      {(host) => <HostLayout key={host.id} host={host} kind={kind} />}
    </Loaded>
  );
}

const TAGS_SHOWN = 4;

const tabs = [
  { label: "Overview", part: "" },
  { label: "Access", part: "/access" },
  { label: "Config", part: "/config" },
  { label: "Activity", part: "/activity" },
  { label: "Debug", part: "/debug" },
];

function HostLayout({ host, kind }: { host: HostV2; kind: HostKind }) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const at = hostPath(host);
  usePageTitle(pathname === `${at}/debug` ? `Debug ${host.name}` : host.name);
  useShortcut("e", "Edit", () => void navigate(`${at}/edit`));

  // A lighthouse's ID under /hosts redirects to /lighthouses, with the rest of the path.
  const currentPath = `${hostKinds[kind].path}/${encodeURIComponent(host.id)}`;
  if (at !== currentPath) return <Navigate to={at + pathname.slice(currentPath.length) + search} replace />;

  return (
    <PageContent kind="detail">
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={hostCrumbs(host)} />}
        title={<bdi>{host.name}</bdi>}
        aside={
          <>
            <HostStatus host={host} />
            <TagChips tags={host.tags} max={TAGS_SHOWN} links />
          </>
        }
        lead={<Lead host={host} />}
        actions={<Actions host={host} />}
      />
      <Tabs
        label={`Sections of ${host.name}`}
        tabs={tabs.map(({ label, part }) => ({ label, to: at + part, end: part === "" }))}
      />
      <Outlet context={host} />
    </PageContent>
  );
}

/** "Gateway to the rack network. Owner: Platform team. Last seen 4 seconds ago." */
function Lead({ host: { description, owner, metadata } }: { host: HostV2 }) {
  return (
    <>
      {description !== "" && <bdi>{endSentence(description)} </bdi>}
      {owner !== "" && (
        <>
          Owner: <bdi>{endSentence(owner)} </bdi>
        </>
      )}
      {metadata.lastSeenAt === null ? (
        "Never seen."
      ) : (
        <>
          Last seen <Time at={metadata.lastSeenAt} past />.
        </>
      )}
    </>
  );
}

const endSentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);

function Actions({ host }: { host: HostV2 }) {
  const at = hostPath(host);
  return (
    <>
      {host.metadata.statuses.includes("neverEnrolled") && (
        <LinkButton writes to={`${at}/enroll`} variant="primary" icon={<KeyIcon />}>
          Enroll
        </LinkButton>
      )}
      {host.isBlocked && (
        <LinkButton writes to={`${at}/unblock`} variant="primary">
          Unblock
        </LinkButton>
      )}
      <LinkButton writes to={`${at}/edit`} icon={<EditIcon />}>
        Edit
      </LinkButton>
      <HostMenu host={host} bordered />
    </>
  );
}
