import { createNotificationRule } from "@lightkeeper/contract";
import { useNavigate } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { NOTIFICATIONS_PATH } from "../references/notification-paths.ts";
import { toast } from "../ui/feedback/toast.ts";
import { AddPage } from "../ui/pages/add-page.tsx";
import { notificationCrumbs } from "./notification-labels.ts";
import { RuleForm } from "./rule-form.tsx";
import { toBody, type RuleValues } from "./rule-values.ts";

export function RuleAddPage() {
  usePageTitle("Add notification rule");
  const navigate = useNavigate();
  const { mutateAsync: create } = useWrite(createNotificationRule);
  async function save(values: RuleValues) {
    await create({ body: toBody(values) });
    toast("Notification rule added", { tone: "ok" });
    await navigate(NOTIFICATIONS_PATH, nothingToLose);
  }
  return (
    <AddPage
      crumbs={notificationCrumbs}
      title="Add notification rule"
      lead="Choose an event and the channels that are notified of it."
    >
      <RuleForm submitLabel="Add rule" save={save} />
    </AddPage>
  );
}
