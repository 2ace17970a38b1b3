/** The calls that a form would make, for the preview. */
import {
  pathOf,
  type BodyInputOf,
  type Endpoint,
  type Input,
  type previewAccess,
} from "@lightkeeper/contract";

export type PreviewMutation = BodyInputOf<typeof previewAccess>["mutations"][number];

/** Null while the values are invalid; empty if saving would change nothing. */
export type PreviewMutations = readonly PreviewMutation[] | null;

/** The call as a list of one, or null if the API would reject the body as invalid. */
export function mutationsOf<E extends Endpoint>(
  endpoint: E,
  input: Omit<Input<E>, "signal">,
): PreviewMutations {
  const { body, ...target } = input as { body?: unknown; params?: Record<string, string> };
  if (endpoint.body && !endpoint.body.safeParse(body).success) return null;
  const method = endpoint.method as PreviewMutation["method"];
  return [{ method, path: pathOf(endpoint, target), ...(endpoint.body && { body }) }];
}
