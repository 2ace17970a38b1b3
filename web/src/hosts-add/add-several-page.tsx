import { useState } from "react";
import { useNavigate } from "react-router";
import { useAskBeforeUnload } from "../lib/leave-guard.tsx";
import { usePageTitle } from "../lib/title.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { AddedHosts } from "./added-hosts.tsx";
import { BatchProgress } from "./batch-progress.tsx";
import { forgetMade, takeUnmade, useBatch } from "./batch.ts";
import { formatHostRows } from "./host-rows.ts";
import styles from "./hosts-add.module.css";
import { RefusedHosts } from "./refused-hosts.tsx";
import { RowsForm } from "./rows-form.tsx";
import { useSeveralForm } from "./several-values.ts";

const crumbs = [{ label: "Hosts", to: "/hosts" }];

export function AddSeveralPage() {
  usePageTitle("Add several hosts");
  const { items, isRunning } = useBatch();
  const form = useSeveralForm();
  const navigate = useNavigate();
  // Rows that were refused are corrected in the form, where the rest of it still stands.
  const [isCorrecting, setCorrecting] = useState(false);
  useAskBeforeUnload(items.length > 0);

  const made = items.filter(({ outcome }) => outcome.state === "made");
  const unmade = items.filter(({ outcome }) => outcome.state !== "made");
  const correct = () => {
    form.setValue("text", formatHostRows(takeUnmade().map(({ row }) => row)), { shouldDirty: true });
    setCorrecting(true);
  };

  // Rows that are left keep the person here.
  const finish = async () => {
    if (unmade.length === 0 && !isCorrecting) await navigate("/hosts");
    forgetMade();
  };

  return (
    <FormPage>
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={crumbs} />}
        title="Add several hosts"
        lead="Each gets an address and an enrollment code of its own. Run each command on its host."
      />
      <div className={styles.stack}>
        {isRunning ? (
          <BatchProgress items={items} />
        ) : (
          unmade.length > 0 && <RefusedHosts items={unmade} onCorrect={correct} />
        )}
        {unmade.length === 0 && (made.length === 0 || isCorrecting) && (
          <RowsForm form={form} onStarted={() => setCorrecting(false)} />
        )}
        {made.length > 0 && <AddedHosts items={made} isComplete={!isRunning} onSaved={() => void finish()} />}
      </div>
    </FormPage>
  );
}
