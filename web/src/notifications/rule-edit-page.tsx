import { deleteNotificationRule, type NotificationRule, updateNotificationRule } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { messageOf } from "../lib/errors.ts";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { NOTIFICATIONS_PATH } from "../references/notification-paths.ts";
import { TrashIcon } from "../ui/base/icons.tsx";
import { Button } from "../ui/controls/button.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { Card } from "../ui/pages/card.tsx";
import { EditPage } from "../ui/pages/edit-page.tsx";
import { Cards, DangerCard } from "../ui/pages/form-page.tsx";
import { notificationCrumbs } from "./notification-labels.ts";
import { ruleQuery } from "./notifications.queries.ts";
import { RuleForm } from "./rule-form.tsx";
import { type RuleValues, toBody, toValues } from "./rule-values.ts";

export function RuleEditPage() {
  usePageTitle("Edit notification rule");
  const { ruleID = "" } = useParams();
  const query = useQuery(ruleQuery(ruleID));
  return (
    <Loaded query={query} title="Edit notification rule" crumbs={notificationCrumbs}>
      {(rule) => <EditRule key={rule.id} rule={rule} />}
    </Loaded>
  );
}

function EditRule({ rule }: { rule: NotificationRule }) {
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const { mutateAsync: update } = useWrite(updateNotificationRule);
  const latest = toValues(rule);
  async function save(values: RuleValues) {
    await update({ params: { ruleID: rule.id }, body: toBody(values) });
    toast("Notification rule saved", { tone: "ok" });
    await navigate(NOTIFICATIONS_PATH, nothingToLose);
  }
  return (
    <EditPage crumbs={notificationCrumbs} name="notification rule">
      <Cards>
        <Card>
          <RuleForm initial={latest} latest={latest} submitLabel="Save" save={save} />
        </Card>
        <DangerCard
          title="Delete this rule"
          action={
            <Button icon={<TrashIcon />} onClick={() => setDeleting(true)}>
              Delete rule…
            </Button>
          }
        >
          Nobody is notified by this rule from then on. To pause it, clear Enabled instead.
        </DangerCard>
      </Cards>
      {isDeleting && <DeleteRuleDialog rule={rule} onClose={() => setDeleting(false)} />}
    </EditPage>
  );
}

function DeleteRuleDialog({ rule, onClose }: { rule: NotificationRule; onClose: () => void }) {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useWrite(deleteNotificationRule, {
    onSuccess: async () => {
      toast("Notification rule deleted", { tone: "ok" });
      await navigate(NOTIFICATIONS_PATH, { replace: true, ...nothingToLose });
    },
    rules: [],
  });
  return (
    <ConfirmDialog
      open
      danger
      title="Delete notification rule?"
      consequence="Nobody is notified by this rule from now on. You can’t undo this."
      confirmLabel="Delete rule"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={onClose}
      onConfirm={() => mutate({ params: { ruleID: rule.id } })}
    />
  );
}
