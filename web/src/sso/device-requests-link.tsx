import { listDeviceRequests } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { read } from "../lib/query.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";

/** Shown to administrators on the list of hosts. It has few imports because it is part of that page's first load. */
export function DeviceRequestsLink() {
  const canDecide = !useReadOnly();
  const { data } = useQuery({ ...read(listDeviceRequests), enabled: canDecide });
  if (!canDecide || !data?.length) return null;
  const devices = data.length === 1 ? "1 device is" : `${data.length} devices are`;
  return (
    <Notice tone="info" actions={<LinkButton to="/settings/sso">Review</LinkButton>}>
      {devices} waiting for approval.
    </Notice>
  );
}
