import { NameLink } from "../ui/text/name-link.tsx";

export const TAGS_PATH = "/tags";
export const TAG_ADD_PATH = "/tags/add";
export const TAG_REORDER_PATH = "/tags/reorder";
/** Two names look like pages of their own; a name has a colon, so none is taken for one of them. */
export const tagPath = (name: string) => `${TAGS_PATH}/${encodeURIComponent(name)}`;

/** The way to a tag's pages. */
export const tagCrumbs = [{ label: "Tags", to: TAGS_PATH }];

export function TagLink({ name }: { name: string }) {
  return <NameLink to={tagPath(name)}>{name}</NameLink>;
}
