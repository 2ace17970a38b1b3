import { deleteApiKey, type ApiKey } from "@lightkeeper/contract";
import { useNavigate, useOutletContext } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { absoluteTime } from "../ui/base/relative-time.ts";
import { toast } from "../ui/feedback/toast.ts";
import { apiKeyPath, API_KEYS_PATH } from "./api-key-link.tsx";

const describeUsage = ({ lastUsedAt }: ApiKey) =>
  lastUsedAt
    ? `The key was last used on ${absoluteTime(new Date(lastUsedAt))}.`
    : "The key has never been used.";

export function DeleteApiKeyDialog() {
  const apiKey = useOutletContext<ApiKey>();
  usePageTitle(`Delete ${apiKey.name}`);
  const navigate = useNavigate();
  const close = useCloseDialog(apiKeyPath(apiKey.id));
  const { mutate, isPending, error } = useWrite(deleteApiKey, {
    onSuccess: async () => {
      toast(`API key ${apiKey.name} deleted`, { tone: "ok" });
      await navigate(API_KEYS_PATH, { replace: true, ...nothingToLose });
    },
    rules: [],
  });
  return (
    <ConfirmDialog
      open
      danger
      title={`Delete API key ${apiKey.name}?`}
      consequence={`Requests with this key fail from now on. ${describeUsage(apiKey)} You can’t undo this.`}
      confirmLabel="Delete API key"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={close}
      onConfirm={() => mutate({ params: { apiKeyID: apiKey.id } })}
    />
  );
}
