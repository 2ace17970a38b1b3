import { NameLink } from "../ui/text/name-link.tsx";

export const TAGS_PATH = "/tags";
export const TAG_ADD_PATH = "/tags/add";
export const TAG_REORDER_PATH = "/tags/reorder";
/** Tag names contain a colon, so no tag path collides with `/tags/add` or `/tags/reorder`. */
export const tagPath = (name: string) => `${TAGS_PATH}/${encodeURIComponent(name)}`;

/** The breadcrumbs of a tag's pages. */
export const tagCrumbs = [{ label: "Tags", to: TAGS_PATH }];

export function TagLink({ name }: { name: string }) {
  return <NameLink to={tagPath(name)}>{name}</NameLink>;
}
