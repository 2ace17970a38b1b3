import { listDeviceRequests } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { read } from "../lib/query.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";

/** Tells an administrator on the list of hosts that devices wait for approval. Imports little: it loads with the list. */
export function DeviceRequestsLink() {
  const mayDecide = !useReadOnly();
  const { data } = useQuery({ ...read(listDeviceRequests), enabled: mayDecide });
  if (!mayDecide || !data?.length) return null;
  const words = data.length === 1 ? "1 device is" : `${data.length} devices are`;
  return (
    <Notice tone="info" actions={<LinkButton to="/settings/sso">Review</LinkButton>}>
      {words} waiting for approval.
    </Notice>
  );
}
