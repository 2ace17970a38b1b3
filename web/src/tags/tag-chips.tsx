import { Link } from "react-router";
import { Chip } from "../ui/chip.tsx";
import { FittingLine } from "../ui/fitting-line.tsx";
import { tagPath } from "./tag-link.tsx";
import styles from "./tags.module.css";

interface TagChipsProps {
  tags: readonly string[];
  /** How many are shown before "+n"; all unless said. */
  max?: number | undefined;
  /** Each leads to its tag. */
  links?: boolean | undefined;
}

export function TagChips({ tags, max = tags.length, links = false }: TagChipsProps) {
  const rest = tags.slice(max);
  return (
    <span className={styles.chips}>
      {tags.slice(0, max).map((name) => (
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
      {rest.length > 0 && (
        <span title={rest.join(", ")}>
          <Chip>+{rest.length}</Chip>
        </span>
      )}
    </span>
  );
}

/** Those there is room for in one line, and how many more there are. */
export function TagLine({ tags }: { tags: readonly string[] }) {
  return <FittingLine texts={tags} as="chip" />;
}
