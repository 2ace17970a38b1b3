import type { ApiKey } from "@lightkeeper/contract";
import { NameLink } from "../ui/text/name-link.tsx";

export const API_KEYS_PATH = "/settings/api-keys";
export const API_KEY_ADD_PATH = `${API_KEYS_PATH}/add`;
export const apiKeyPath = (id: string) => `${API_KEYS_PATH}/${encodeURIComponent(id)}`;

export const apiKeyCrumbs = [{ label: "API keys", to: API_KEYS_PATH }];

export function ApiKeyLink({ apiKey }: { apiKey: Pick<ApiKey, "id" | "name"> }) {
  return <NameLink to={apiKeyPath(apiKey.id)}>{apiKey.name}</NameLink>;
}
