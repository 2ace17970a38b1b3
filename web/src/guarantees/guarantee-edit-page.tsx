import { updateGuarantee, type Guarantee } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { useNavigate, useParams } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { guaranteeCrumbs, GUARANTEES_PATH } from "../references/guarantee-link.ts";
import { Card } from "../ui/pages/card.tsx";
import { DeleteCard } from "../ui/pages/delete-card.tsx";
import { EditPage } from "../ui/pages/edit-page.tsx";
import { Cards } from "../ui/pages/form-page.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { GuaranteeForm } from "./guarantee-form.tsx";
import { GuaranteeState } from "./guarantee-state.tsx";
import { toValues } from "./guarantee-values.ts";
import { guaranteeQuery, type GuaranteeInput } from "./guarantees.queries.ts";

const DeleteGuaranteeDialog = lazy(() => import("./delete-guarantee-dialog.tsx"));

export function GuaranteeEditPage() {
  const { guaranteeID = "" } = useParams();
  usePageTitle("Edit guarantee");
  return (
    <Loaded query={useQuery(guaranteeQuery(guaranteeID))} title="Edit guarantee" crumbs={guaranteeCrumbs}>
      {(guarantee) => <EditGuarantee key={guarantee.id} guarantee={guarantee} />}
    </Loaded>
  );
}

function EditGuarantee({ guarantee }: { guarantee: Guarantee }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateGuarantee);
  const latest = toValues(guarantee);

  async function save(body: GuaranteeInput) {
    await update({ params: { guaranteeID: guarantee.id }, body });
    toast("Guarantee saved", { tone: "ok" });
    await navigate(GUARANTEES_PATH, nothingToLose);
  }

  return (
    <EditPage crumbs={guaranteeCrumbs} name="guarantee">
      <Cards>
        <Card>
          <GuaranteeForm initial={latest} latest={latest} submitLabel="Save" save={save} />
        </Card>
        <GuaranteeDetails guarantee={guarantee} />
        <DangerZone guarantee={guarantee} />
      </Cards>
    </EditPage>
  );
}

function GuaranteeDetails({ guarantee }: { guarantee: Guarantee }) {
  const { id, suspension, createdAt, modifiedAt } = guarantee;
  return (
    <Card title="Details" padded={false}>
      <KeyValueList>
        <KeyValue label="State">
          <GuaranteeState {...guarantee} />
        </KeyValue>
        {suspension && (
          <KeyValue label="Reason for suspension">
            <bdi>{suspension.reason}</bdi>
          </KeyValue>
        )}
        <CopyableKeyValue label="Guarantee ID" value={id} />
        <TimeKeyValue label="Created" at={createdAt} />
        <TimeKeyValue label="Changed" at={modifiedAt} />
      </KeyValueList>
    </Card>
  );
}

function DangerZone({ guarantee }: { guarantee: Guarantee }) {
  const navigate = useNavigate();
  return (
    <DeleteCard what="guarantee" cost="Deletes this guarantee. Changes that break it are no longer rejected.">
      {(close) => (
        <DeleteGuaranteeDialog
          guarantee={guarantee}
          onClose={close}
          onDeleted={() => navigate(GUARANTEES_PATH, nothingToLose)}
        />
      )}
    </DeleteCard>
  );
}
