import {
  approveDeviceRequest,
  type DeviceRequest,
  type Endpoint,
  listDeviceRequests,
  rejectDeviceRequest,
} from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { messageOf } from "../lib/errors.ts";
import { failureOf } from "../lib/list-page.ts";
import type { Rule } from "../lib/messages.ts";
import { oidcNotConfigured } from "../lib/messages.ts";
import { invalidateNoun, useWrite } from "../lib/query.ts";
import { ViolationPreview } from "../preview/violation-preview.tsx";
import { guaranteeViolated, violatedGuarantees } from "../preview/violation-values.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Code } from "../ui/text/code.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { Time } from "../ui/text/time.tsx";
import { toast } from "../ui/feedback/toast.ts";
import styles from "./domains.module.css";
import { deviceRequestsQuery } from "./sso.queries.ts";

interface DeviceRequestsCardProps {
  /** If approval isn't required, the card is shown only while requests are left. */
  isRequired: boolean;
  canDecide: boolean;
}

export function DeviceRequestsCard({ isRequired, canDecide }: DeviceRequestsCardProps) {
  const { data, error, isFetching, refetch } = useQuery(deviceRequestsQuery);
  if (!isRequired && !data?.length) return null;
  return (
    <Card title="Devices waiting for approval" padded={false}>
      {!data && !error && <Spinner delayed />}
      {!data && error && (
        <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      )}
      {data?.length === 0 && (
        <EmptyState title="No devices are waiting">
          A device appears here when its owner has signed in. Requests expire after 24 hours.
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <ul>
          {data.map((request) => (
            <RequestRow key={request.id} request={request} canDecide={canDecide} />
          ))}
        </ul>
      )}
    </Card>
  );
}

const rules: readonly Rule[] = [
  oidcNotConfigured,
  guaranteeViolated,
  {
    codes: ["ERR_LIMIT_EXCEEDED"],
    message: "Your plan’s host limit is reached. Remove a host or upgrade first.",
  },
  {
    codes: ["ERR_NETWORK_FULLY_ALLOCATED"],
    message: "The network for devices has no free address. Remove a host or choose another network.",
  },
];

/** Refetches the list on errors, because another administrator may have decided first. */
function useDecision<E extends Endpoint>(endpoint: E, done: string) {
  return useWrite(endpoint, {
    invalidates: ["hosts"],
    onSuccess: () => void toast(done, { tone: "ok" }),
    rules,
    onError: (error) => {
      // The row explains which guarantee the device would break.
      if (violatedGuarantees(error).length === 0) toast(messageOf(error), { tone: "danger" });
      void invalidateNoun(listDeviceRequests.noun);
    },
  });
}

function RequestRow({ request, canDecide }: { request: DeviceRequest; canDecide: boolean }) {
  const { id, email, verificationCode, address, createdAt, expiresAt } = request;
  const approve = useDecision(approveDeviceRequest, `Device of ${email} approved`);
  const reject = useDecision(rejectDeviceRequest, `Device of ${email} rejected`);
  const input = { params: { deviceRequestID: id } };
  const isPending = approve.isPending || reject.isPending;
  const violated = violatedGuarantees(approve.error);
  return (
    <li className={styles.request} aria-label={email}>
      <div className={styles.details}>
        <bdi className={styles.name}>{email}</bdi>
        <span className={styles.second}>
          The device shows <Code>{verificationCode}</Code>. Signed in from {address}, <Time at={createdAt} />.
          Expires <Time at={expiresAt} />.
        </span>
        {violated.length > 0 && (
          <Notice tone="danger">
            <ViolationPreview guarantees={violated} />
          </Notice>
        )}
      </div>
      {canDecide && (
        <div className={styles.actions}>
          <Button
            variant="primary"
            pending={approve.isPending}
            disabled={isPending}
            aria-label={`Approve the device of ${email}`}
            onClick={() => approve.mutate(input)}
          >
            Approve
          </Button>
          <Button
            pending={reject.isPending}
            disabled={isPending}
            aria-label={`Reject the device of ${email}`}
            onClick={() => reject.mutate(input)}
          >
            Reject
          </Button>
        </div>
      )}
    </li>
  );
}
