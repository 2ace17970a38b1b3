import type { AccessPreview } from "@lightkeeper/contract";
import { WarningIcon } from "../ui/base/icons.tsx";
import { LostAccess } from "./lost-access.tsx";
import styles from "./preview.module.css";

/** The warning that the person’s own devices lose connections. */
export function OwnAccess({ lost }: { lost: AccessPreview["ownAccessLost"] }) {
  return (
    <div className={styles.lost}>
      <WarningIcon />
      <div>
        <h3>You would lose your own access</h3>
        {lost.map((one) => (
          <p key={one.host.id}>
            <LostAccess lost={one} />
          </p>
        ))}
      </div>
    </div>
  );
}
