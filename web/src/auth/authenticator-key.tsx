import type { createTotpAuthenticator, DataOf } from "@lightkeeper/contract";
import { lazy, Suspense } from "react";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import styles from "./authenticator-key.module.css";

const QRCode = lazy(() => import("../ui/text/qr-code.tsx"));

/** The secret for an authenticator app: as a QR code, as a link for the same device, and as text. */
export function AuthenticatorKey({ setup }: { setup: DataOf<typeof createTotpAuthenticator> | undefined }) {
  return (
    <div className={styles.setup}>
      <div className={styles.code}>
        {setup ? (
          <Suspense fallback={<Spinner delayed />}>
            <QRCode value={setup.url} label="QR code for your authenticator app" />
          </Suspense>
        ) : (
          <Spinner delayed label="Creating a key" />
        )}
      </div>
      {setup && (
        <div className={styles.key}>
          <p className={styles.aside}>
            <a href={setup.url}>Open in an authenticator app on this device</a>, or enter this key manually:
          </p>
          <p className={styles.secret}>
            <code>{inGroups(setup.secret)}</code>
            <CopyButton what="setup key" value={setup.secret} />
          </p>
        </div>
      )}
    </div>
  );
}

function inGroups(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(" ") ?? secret;
}
