import type { Effective, Said } from "./override-layers.ts";
import { overrideLabel, overrideValue } from "./override-words.ts";
import styles from "./overrides.module.css";
import { TagLink } from "../references/tag-link.tsx";

/** What a host ends up with, and who says so. */
export function EffectiveList({ settings }: { settings: readonly Effective[] }) {
  if (settings.length === 0) return <p className={styles.result}>The host runs with the defaults.</p>;
  return (
    <section aria-label="What the host runs with" className={styles.result}>
      <p>
        What the host runs with: its own settings win over those of its tags, and a tag with higher priority
        wins over the others.
      </p>
      <dl className={styles.effective}>
        {settings.map(({ key, value, tag, over }) => (
          <div key={key} className={styles.pair}>
            <dt>{overrideLabel(key)}</dt>
            <dd>
              <b>{overrideValue(key, value)}</b> from <Who tag={tag} />
              {over.map((said) => (
                <span key={said.tag ?? ""}>
                  , not {overrideValue(key, said.value)} from <Who tag={said.tag} />
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Who({ tag }: Pick<Said, "tag">) {
  return tag === undefined ? "the host itself" : <TagLink name={tag} />;
}

interface OtherTagsProps {
  overrideKey: string;
  higher: readonly Said[];
  lower: readonly Said[];
}

/** What becomes of a tag's setting on hosts that have another tag with the same setting too. */
export function OtherTags({ overrideKey, higher, lower }: OtherTagsProps) {
  if (higher.length + lower.length === 0) return null;
  return (
    <p className={styles.rivals}>
      {higher.map(({ tag = "", value }) => (
        <span key={tag}>
          On hosts that also have <TagLink name={tag} />, its {overrideValue(overrideKey, value)} wins.{" "}
        </span>
      ))}
      {lower.map(({ tag = "", value }) => (
        <span key={tag}>
          Wins over {overrideValue(overrideKey, value)} of <TagLink name={tag} />.{" "}
        </span>
      ))}
    </p>
  );
}
