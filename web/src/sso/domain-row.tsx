import { type OrganizationDomain, removeDomain, verifyDomain } from "@lightkeeper/contract";
import { useState } from "react";
import { hasCode, messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { Button } from "../ui/controls/button.tsx";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Status, type StatusProps } from "../ui/feedback/status.tsx";
import { toast } from "../ui/feedback/toast.ts";
import styles from "./domains.module.css";

interface DomainRowProps {
  domain: OrganizationDomain;
  canEdit: boolean;
}

export function DomainRow({ domain: organizationDomain, canEdit }: DomainRowProps) {
  const { domain, state, record } = organizationDomain;
  const renew = useRenewal();
  const { mutate, isPending, error } = useWrite(verifyDomain, {
    onSuccess: () => void toast(`${domain} is verified`, { tone: "ok" }),
    onError: renew,
  });
  const isPendingState = state === "pending";
  const status = describeState(organizationDomain, isPendingState ? error : null);
  return (
    <li className={styles.domain} aria-label={domain}>
      <div className={styles.header}>
        <div className={styles.text}>
          <bdi className={styles.name}>{domain}</bdi>
          <span role="status">
            <Status tone={status.tone}>{status.label}</Status>
          </span>
        </div>
        {canEdit && record && (
          <div className={styles.actions}>
            {isPendingState && (
              <Button pending={isPending} onClick={() => mutate({ params: { domain } })}>
                Verify
              </Button>
            )}
            <RemoveDomain domain={domain} isVerified={state === "verified"} />
          </div>
        )}
      </div>
      {status.hint && <p className={styles.hint}>{status.hint}</p>}
      {isPendingState && record && (
        <KeyValueList>
          <KeyValue label="Record type">{record.type}</KeyValue>
          <KeyValue label="Record name" mono copy={record.name}>
            {record.name}
          </KeyValue>
          <KeyValue label="Record value" mono copy={record.value}>
            {record.value}
          </KeyValue>
        </KeyValueList>
      )}
    </li>
  );
}

interface DomainStatus {
  tone: StatusProps["tone"];
  label: string;
  hint?: string;
}

const TAKEN: DomainStatus = {
  tone: "bad",
  label: "Taken elsewhere",
  hint: "Another organization on this server has this domain. Ask its owner to remove the domain, or ask the operator of this server to assign the domain to you.",
};

function describeState({ state, record }: OrganizationDomain, error: Error | null): DomainStatus {
  if (state === "verified")
    return {
      tone: "ok",
      label: "Verified",
      ...(!record && { hint: "Assigned by the configuration of this server." }),
    };
  if (state === "takenElsewhere" || hasCode(error, "ERR_DOMAIN_TAKEN")) return TAKEN;
  if (hasCode(error, "ERR_DOMAIN_RECORD_NOT_FOUND"))
    return {
      tone: "warn",
      label: "Record not found",
      hint: "DNS changes can take a while. Check the record at your DNS provider, then try again.",
    };
  if (hasCode(error, "ERR_DNS_LOOKUP_FAILED"))
    return {
      tone: "warn",
      label: "DNS lookup failed",
      hint: "The domain’s DNS server didn’t respond. Try again in a few minutes.",
    };
  if (error) return { tone: "warn", label: "Not verified", hint: messageOf(error) };
  return {
    tone: "new",
    label: "Pending",
    hint: "Add this record at your DNS provider, then verify the domain. You can remove the record afterwards.",
  };
}

function RemoveDomain({ domain, isVerified }: { domain: string; isVerified: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const renew = useRenewal();
  const { mutate, isPending, error } = useWrite(removeDomain, {
    onSuccess: () => void toast(`${domain} removed`, { tone: "ok" }),
    onError: renew,
  });
  return (
    <>
      <Button variant="quiet" aria-label={`Remove ${domain}…`} onClick={() => setOpen(true)}>
        Remove…
      </Button>
      <ConfirmDialog
        open={isOpen}
        danger
        title={`Remove ${domain}?`}
        consequence={
          isVerified
            ? "New devices can’t find your organization by this domain anymore, and another organization can verify it. Enrolled devices stay connected."
            : "Removes the domain from the list. You can delete its DNS record."
        }
        confirmLabel="Remove domain"
        pending={isPending}
        error={error ? messageOf(error) : undefined}
        onClose={() => setOpen(false)}
        onConfirm={() => mutate({ params: { domain } })}
      />
    </>
  );
}
