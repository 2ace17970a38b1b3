import { useState } from "react";
import { useNavigate } from "react-router";
import { useAskBeforeUnload } from "../forms/leave-guard.tsx";
import { usePageTitle } from "../lib/title.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { AddedHosts } from "./added-hosts.tsx";
import { BatchProgress } from "./batch-progress.tsx";
import { clearAdded, takeFailed, useBatch } from "./batch.ts";
import { formatHostRows } from "./host-rows.ts";
import styles from "./hosts-add.module.css";
import { FailedHosts } from "./failed-hosts.tsx";
import { RowsForm } from "./rows-form.tsx";
import { useAddSeveralForm } from "./add-several-values.ts";

const crumbs = [{ label: "Hosts", to: "/hosts" }];

export function AddSeveralPage() {
  usePageTitle("Add several hosts");
  const { items, isRunning } = useBatch();
  const form = useAddSeveralForm();
  const navigate = useNavigate();
  // Failed rows are corrected in the form, which keeps its other values.
  const [isCorrecting, setCorrecting] = useState(false);
  useAskBeforeUnload(items.length > 0);

  const added = items.filter(({ outcome }) => outcome.state === "added");
  const failed = items.filter(({ outcome }) => outcome.state !== "added");
  const correct = () => {
    form.setValue("text", formatHostRows(takeFailed().map(({ row }) => row)), { shouldDirty: true });
    setCorrecting(true);
  };

  // Stays on this page while failed rows remain.
  const finish = async () => {
    if (failed.length === 0 && !isCorrecting) await navigate("/hosts");
    clearAdded();
  };

  return (
    <FormPage>
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={crumbs} />}
        title="Add several hosts"
        lead="Each host gets an address and an enrollment code. Run each command on its host."
      />
      <div className={styles.stack}>
        {isRunning ? (
          <BatchProgress items={items} />
        ) : (
          failed.length > 0 && <FailedHosts items={failed} onCorrect={correct} />
        )}
        {failed.length === 0 && (added.length === 0 || isCorrecting) && (
          <RowsForm form={form} onStarted={() => setCorrecting(false)} />
        )}
        {added.length > 0 && (
          <AddedHosts items={added} isComplete={!isRunning} onSaved={() => void finish()} />
        )}
      </div>
    </FormPage>
  );
}
