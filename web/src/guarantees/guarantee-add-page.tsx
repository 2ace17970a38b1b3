import { createGuarantee } from "@lightkeeper/contract";
import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { guaranteeCrumbs, GUARANTEES_PATH } from "../references/guarantee-link.ts";
import { AddPage } from "../ui/pages/add-page.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { GuaranteeForm } from "./guarantee-form.tsx";
import { readValues } from "./guarantee-values.ts";
import type { GuaranteeInput } from "./guarantees.queries.ts";

/** Adds a guarantee, filled in from the query string of a suggestion. */
export function GuaranteeAddPage() {
  usePageTitle("Add guarantee");
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const [initial] = useState(() => readValues(parameters));
  const { mutateAsync: create } = useWrite(createGuarantee);

  async function save(body: GuaranteeInput) {
    const { state } = await create({ body });
    toast(state === "failing" ? "Guarantee added. It doesn’t hold yet." : "Guarantee added", { tone: "ok" });
    await navigate(GUARANTEES_PATH, nothingToLose);
  }

  return (
    <AddPage
      crumbs={guaranteeCrumbs}
      title="Add guarantee"
      lead="Say what must always or never be reachable. Changes that break a guarantee are rejected."
    >
      <GuaranteeForm initial={initial} submitLabel="Add guarantee" save={save} />
    </AddPage>
  );
}
