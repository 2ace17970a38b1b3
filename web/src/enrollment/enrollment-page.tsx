/** The shared screen for enrolling a host and for unblocking it. */
import type { HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Navigate, useLocation, useNavigate, useParams } from "react-router";
import { hostCrumbs, hostKinds, hostPath, kindOf } from "../references/host-link.tsx";
import { hostQuery } from "../references/hosts.queries.ts";
import { networkQuery } from "../references/networks.queries.ts";
import { Loaded } from "../lib/loaded.tsx";
import { usePageTitle } from "../lib/title.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { ChecklistLink } from "./checklist-link.tsx";
import { BlockedHost } from "./blocked-host.tsx";
import { HostCode } from "./host-code.tsx";
import { useOnEnrolled, useEnrollment } from "./use-enrollment.ts";

/** Polls in addition to live updates, in case the event stream is interrupted. */
const POLL_MS = 5000;

const hostsCrumbs = [{ label: hostKinds.host.label, to: hostKinds.host.path }];

const titles = { enroll: "Enroll", unblock: "Unblock" };

interface EnrollmentPageProps {
  verb: keyof typeof titles;
}

export function EnrollmentPage({ verb }: EnrollmentPageProps) {
  const { hostID = "" } = useParams();
  const query = useQuery({ ...hostQuery(hostID), refetchInterval: POLL_MS });
  usePageTitle(`${titles[verb]} ${query.data?.name ?? "host"}`);
  return (
    <Loaded query={query} title={`${titles[verb]} host`} crumbs={hostsCrumbs}>
      {(host) => <HostEnrollment key={host.id} host={host} verb={verb} />}
    </Loaded>
  );
}

/** Redirects to the path of the host's kind. */
function HostEnrollment({ host, verb }: EnrollmentPageProps & { host: HostV2 }) {
  const { pathname } = useLocation();
  const canonicalPath = `${hostPath(host)}/${verb}`;
  if (canonicalPath !== pathname.replace(/\/$/, "")) return <Navigate to={canonicalPath} replace />;
  return <Enrollment host={host} verb={verb} />;
}

function Enrollment({ host, verb }: EnrollmentPageProps & { host: HostV2 }) {
  const enrollment = useEnrollment(host);
  const { data: network } = useQuery(networkQuery(host.networkID));
  const navigate = useNavigate();
  useOnEnrolled(host, enrollment.storedCode, () => {
    toast(`${host.name} has enrolled`, { tone: "ok" });
    void navigate(hostPath(host), { replace: true });
  });
  return (
    <FormPage>
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={[...hostCrumbs(host), { label: host.name, to: hostPath(host) }]} />}
        title={
          <>
            {titles[verb]} <bdi>{host.name}</bdi>
          </>
        }
        lead={leadOf(host, verb, network?.name)}
      />
      {host.isBlocked ? (
        <BlockedHost host={host} verb={verb} onUnblocked={enrollment.createCode} />
      ) : (
        <HostCode host={host} enrollment={enrollment} />
      )}
      <ChecklistLink />
    </FormPage>
  );
}

function leadOf(host: HostV2, verb: keyof typeof titles, networkName = "its network"): string {
  const kind = kindOf(host);
  if (host.isBlocked && verb === "enroll") return `This ${kind} is blocked, so it can’t enroll.`;
  if (host.isBlocked)
    return `This ${kind} is blocked. After you unblock it, enroll it again to reconnect it.`;
  return `Run this command on ${host.name} to join ${networkName} as ${host.ipAddresses.join(" and ")}.`;
}
