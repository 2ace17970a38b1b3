/** Checks of tests: a response or error that the contract does not declare is a bug. */
import { AccessPreview, codesOf, type Endpoint, ListMetadata } from "@lightkeeper/contract";
import { ApiError } from "../errors/api-error.ts";

export function assertMatchesSchema(
  endpoint: Endpoint,
  envelope: unknown,
  { isDryRun }: { isDryRun: boolean },
): void {
  if (endpoint.response.kind === "raw") return;
  const { data, metadata } = envelope as { data: unknown; metadata: unknown };
  if (isDryRun) return void AccessPreview.parse(data);
  if (endpoint.response.kind === "list") {
    for (const item of data as unknown[]) endpoint.response.schema.parse(item);
    ListMetadata.parse(metadata);
  } else endpoint.response.schema.parse(data);
}

export function assertDeclaresCodes(endpoint: Endpoint, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  const declared: string[] = codesOf(endpoint);
  const undeclared = error.errors.find(({ code }) => !declared.includes(code));
  if (undeclared) throw new Error(`${endpoint.method} ${endpoint.path} does not declare ${undeclared.code}`);
}
