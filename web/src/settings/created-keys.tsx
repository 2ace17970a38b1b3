import type { ApiKey } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { allApiKeysQuery } from "../api-keys/api-keys.queries.ts";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Time } from "../ui/text/time.tsx";
import styles from "./settings.module.css";

export interface CreatedKeys {
  /** Undefined while loading and after a failure. */
  keys: readonly ApiKey[] | undefined;
  isLoading: boolean;
  isRevoking: boolean;
  setRevoking: (isRevoking: boolean) => void;
}

/** The API keys that a person created, and whether to revoke them when the person leaves. */
export function useCreatedKeys(creatorID: string, { canRevoke = true, enabled = true } = {}): CreatedKeys {
  const { data, isPending } = useQuery({ ...allApiKeysQuery, enabled });
  const [isChecked, setChecked] = useState(true);
  const keys = data?.filter(({ createdBy }) => createdBy?.id === creatorID);
  return {
    keys,
    isLoading: enabled && isPending,
    isRevoking: enabled && canRevoke && isChecked && keys?.length !== 0,
    setRevoking: setChecked,
  };
}

interface CreatedKeysChoiceProps extends CreatedKeys {
  /** The heading, which says whose keys these are. */
  title: string;
  /** Why the keys can't be revoked here. */
  hint?: string | undefined;
}

export function CreatedKeysChoice(props: CreatedKeysChoiceProps) {
  const { keys, isLoading, isRevoking, setRevoking, title, hint } = props;
  if (isLoading) return <p role="status">Loading API keys…</p>;
  if (keys?.length === 0) return null;
  return (
    <section aria-label={title} className={styles.keys}>
      <p className={styles.name}>{title}</p>
      {hint === undefined ? (
        <Checkbox
          label="Revoke these API keys"
          hint="Keys that you don’t revoke continue to work."
          checked={isRevoking}
          onChange={({ currentTarget }) => setRevoking(currentTarget.checked)}
        />
      ) : (
        <p className={styles.second}>{hint}</p>
      )}
      {keys ? <KeyList keys={keys} /> : <Notice tone="warn">Couldn’t load the API keys.</Notice>}
    </section>
  );
}

function KeyList({ keys }: { keys: readonly ApiKey[] }) {
  return (
    <ul className={styles.keyList}>
      {keys.map(({ id, name, lastUsedAt }) => (
        <li key={id}>
          <bdi className={styles.name}>{name}</bdi>
          <span className={styles.second}>
            {lastUsedAt ? (
              <>
                last used <Time at={lastUsedAt} />
              </>
            ) : (
              "never used"
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
