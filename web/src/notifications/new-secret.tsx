import { config } from "../lib/config.ts";
import { CodeBlock } from "../ui/text/code.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./notifications.module.css";

/** Shows a new secret, which the server never returns again. */
export function NewSecret({ secret }: { secret: string }) {
  return (
    <div className={styles.stack}>
      <Notice tone="warn">Copy this secret now. You won’t be able to see it again.</Notice>
      <div>
        <p className={styles.label}>Signing secret</p>
        <CodeBlock label="Signing secret" copy="secret" wrap>
          {secret}
        </CodeBlock>
      </div>
      <p>
        Use it to <a href={`${config.docsURL}notifications#verify-a-signature`}>verify the signature</a> of
        each request.
      </p>
    </div>
  );
}

export const leaveWithoutSecretTexts = {
  title: "Leave without the secret?",
  consequence: "You won’t be able to see the secret again. Without it, you have to rotate the secret.",
};
