/** One screen brings a host in, again or for the first time: to enroll it, and to let a blocked one back. */
import type { HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Navigate, useLocation, useNavigate, useParams } from "react-router";
import { hostCrumbs, hostKinds, hostPath, kindOf } from "../references/host-link.tsx";
import { hostQuery } from "../references/hosts.queries.ts";
import { Loaded } from "../lib/loaded.tsx";
import { usePageTitle } from "../lib/title.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { BlockedHost } from "./blocked-host.tsx";
import { HostCode } from "./host-code.tsx";
import { useEnrolled, useEnrollment } from "./use-enrollment.ts";

/** Beside the live updates: a host that has come in is not overlooked while the stream is away. */
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

/** Under its own list, whichever the address names. */
function HostEnrollment({ host, verb }: EnrollmentPageProps & { host: HostV2 }) {
  const { pathname } = useLocation();
  const ownPath = `${hostPath(host)}/${verb}`;
  if (ownPath !== pathname.replace(/\/$/, "")) return <Navigate to={ownPath} replace />;
  return <Enrollment host={host} verb={verb} />;
}

function Enrollment({ host, verb }: EnrollmentPageProps & { host: HostV2 }) {
  const enrollment = useEnrollment(host);
  const navigate = useNavigate();
  useEnrolled(host, enrollment.kept, () => {
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
        lead={leadOf(host, verb)}
      />
      {host.isBlocked ? (
        <BlockedHost host={host} verb={verb} onUnblocked={enrollment.make} />
      ) : (
        <HostCode host={host} enrollment={enrollment} />
      )}
    </FormPage>
  );
}

function leadOf(host: HostV2, verb: keyof typeof titles): string {
  const kind = kindOf(host);
  if (host.isBlocked && verb === "enroll") return `This ${kind} is blocked, so it cannot enroll.`;
  if (host.isBlocked) return `This ${kind} is cut off. Allowed again, it has to enroll anew to come back.`;
  return `Run one command on the ${kind}, and it gets its address ${host.ipAddresses.join(", ")} and its certificate.`;
}
