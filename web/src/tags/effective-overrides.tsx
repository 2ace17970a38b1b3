import type { EffectiveOverride, SettingSource } from "./override-layers.ts";
import { overrideLabel, formatOverrideValue } from "./override-labels.ts";
import styles from "./overrides.module.css";
import { TagLink } from "../references/tag-link.tsx";

/** The effective settings of a host and where each comes from. */
export function EffectiveList({ settings }: { settings: readonly EffectiveOverride[] }) {
  if (settings.length === 0) return <p className={styles.result}>This host uses the default settings.</p>;
  return (
    <section aria-label="Effective settings" className={styles.result}>
      <p>
        Effective settings. The host’s own settings win over those of its tags, and a tag with higher priority
        wins over the others.
      </p>
      <dl className={styles.effective}>
        {settings.map(({ key, value, tag, overridden }) => (
          <div key={key} className={styles.pair}>
            <dt>{overrideLabel(key)}</dt>
            <dd>
              <b>{formatOverrideValue(key, value)}</b> from <SourceName tag={tag} />
              {overridden.map((source) => (
                <span key={source.tag ?? ""}>
                  , overrides {formatOverrideValue(key, source.value)} from <SourceName tag={source.tag} />
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function SourceName({ tag }: Pick<SettingSource, "tag">) {
  return tag === undefined ? "this host" : <TagLink name={tag} />;
}

interface OtherTagsProps {
  overrideKey: string;
  higher: readonly SettingSource[];
  lower: readonly SettingSource[];
}

/** Which tag wins on hosts that have several tags with the same setting. */
export function OtherTags({ overrideKey, higher, lower }: OtherTagsProps) {
  if (higher.length + lower.length === 0) return null;
  return (
    <p className={styles.conflicts}>
      {higher.map(({ tag = "", value }) => (
        <span key={tag}>
          On hosts that also have <TagLink name={tag} />, its value ({formatOverrideValue(overrideKey, value)}
          ) wins.{" "}
        </span>
      ))}
      {lower.map(({ tag = "", value }) => (
        <span key={tag}>
          Wins over {formatOverrideValue(overrideKey, value)} from <TagLink name={tag} />.{" "}
        </span>
      ))}
    </p>
  );
}
