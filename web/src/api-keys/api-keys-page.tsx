import { NounList } from "../lib/noun-list.tsx";
import { KeyIcon } from "../ui/base/icons.tsx";
import { apiKeyColumns } from "./api-key-columns.tsx";
import { API_KEY_ADD_PATH } from "./api-key-link.tsx";
import { apiKeysPageQuery } from "./api-keys.queries.ts";

export function ApiKeysPage() {
  return (
    <NounList
      title="API keys"
      lead="Each lets a tool work on this organization, within its scopes."
      noun="API key"
      addPath={API_KEY_ADD_PATH}
      queryOf={apiKeysPageQuery}
      columns={apiKeyColumns}
      rowKey={({ id }) => id}
      icon={<KeyIcon />}
      first="Add one for Terraform, a script or a pipeline, and give it the scopes it needs."
    />
  );
}
