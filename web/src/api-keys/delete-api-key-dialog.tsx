import { deleteApiKey, type ApiKey } from "@lightkeeper/contract";
import { useNavigate, useOutletContext } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { nothingToLose } from "../lib/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { absoluteTime } from "../ui/base/relative-time.ts";
import { toast } from "../ui/feedback/toast.ts";
import { apiKeyPath, API_KEYS_PATH } from "./api-key-link.tsx";

const usage = ({ lastUsedAt }: ApiKey) =>
  lastUsedAt ? `It was last used ${absoluteTime(new Date(lastUsedAt))}.` : "It has never been used.";

export function DeleteApiKeyDialog() {
  const apiKey = useOutletContext<ApiKey>();
  usePageTitle(`Delete ${apiKey.name}`);
  const navigate = useNavigate();
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
      consequence={`Whatever uses it is refused from now on. ${usage(apiKey)} This cannot be undone.`}
      confirmLabel="Delete API key"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={() => void navigate(apiKeyPath(apiKey.id), { replace: true, preventScrollReset: true })}
      onConfirm={() => mutate({ params: { apiKeyID: apiKey.id } })}
    />
  );
}
