import { NounList } from "../on-demand/noun-list.tsx";
import { KeyIcon } from "../ui/base/icons.tsx";
import { apiKeyColumns } from "./api-key-columns.tsx";
import { API_KEY_ADD_PATH } from "./api-key-link.tsx";
import { apiKeysPageQuery } from "./api-keys.queries.ts";

export function ApiKeysPage() {
  return (
    <NounList
      title="API keys"
      lead="Keys for scripts, Terraform and CI. Each key is limited to its scopes."
      noun="API key"
      addPath={API_KEY_ADD_PATH}
      queryOf={apiKeysPageQuery}
      columns={apiKeyColumns}
      rowKey={({ id }) => id}
      icon={<KeyIcon />}
      first="Add a key for Terraform, a script or a CI pipeline, with the scopes it needs."
    />
  );
}
