import type { createTotpAuthenticator, DataOf } from "@lightkeeper/contract";
import { lazy, Suspense } from "react";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import styles from "./authenticator-key.module.css";

const QRCode = lazy(() => import("../ui/text/qr-code.tsx"));

/** The secret to put into an authenticator app: as a picture, as a link for the same device, and by hand. */
export function AuthenticatorKey({ setup }: { setup: DataOf<typeof createTotpAuthenticator> | undefined }) {
  return (
    <div className={styles.setup}>
      <div className={styles.code}>
        {setup ? (
          <Suspense fallback={<Spinner delayed />}>
            <QRCode value={setup.url} label="QR code for your authenticator app" />
          </Suspense>
        ) : (
          <Spinner delayed label="Making a key" />
        )}
      </div>
      {setup && (
        <div className={styles.key}>
          <p className={styles.aside}>
            <a href={setup.url}>Open in an app on this device</a>, or enter this key by hand:
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
