import { Link } from "react-router";
import { Chip } from "../ui/text/chip.tsx";
import { copyEntry } from "../ui/overlays/copy-entry.tsx";
import { FittingLine } from "../ui/tables/fitting-line.tsx";
import { MoreMenu } from "../ui/overlays/more-menu.tsx";
import { tagPath } from "./tag-link.tsx";
import { useSortedByPriority } from "./tags.queries.ts";
import styles from "./tag-chips.module.css";

interface TagChipsProps {
  tags: readonly string[];
  /** How many tags are shown before "+n". Default: all. */
  max?: number | undefined;
  /** Links each chip to its tag. */
  links?: boolean | undefined;
}

/** A hidden tag, in the menu that "+n" opens. */
const tagEntry = (name: string) => ({ label: name, to: tagPath(name) });

/** Highest priority first. */
export function TagChips({ tags, max = tags.length, links = false }: TagChipsProps) {
  const names = useSortedByPriority(tags);
  const rest = names.slice(max);
  return (
    <span className={styles.chips}>
      {names.slice(0, max).map((name) => (
        <Chip key={name}>
          {links ? (
            <Link to={tagPath(name)} className={styles.chipLink} dir="auto">
              {name}
            </Link>
          ) : (
            <bdi>{name}</bdi>
          )}
        </Chip>
      ))}
      {rest.length > 0 && <MoreMenu count={rest.length} noun="tags" items={rest.map(tagEntry)} />}
    </span>
  );
}

interface TagLineProps {
  tags: readonly string[];
  /** False for tags that may not exist yet: the menu then offers to copy a hidden tag instead of opening it. */
  links?: boolean | undefined;
}

/** The tags that fit in one line, highest priority first, then "+n" for the hidden ones. */
export function TagLine({ tags, links = true }: TagLineProps) {
  const names = useSortedByPriority(tags);
  return <FittingLine texts={names} as="chip" noun="tags" entryOf={links ? tagEntry : copyEntry} />;
}
