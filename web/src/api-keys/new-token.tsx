import {
  type ApiKey,
  listAuditLogs,
  listHostsV2,
  listNetworksV2,
  listRoles,
  listRoutes,
  listTags,
  type Scope,
  whoami,
} from "@lightkeeper/contract";
import { config } from "../lib/config.ts";
import { downloadText } from "../lib/download.ts";
import { Button } from "../ui/controls/button.tsx";
import { CodeBlock } from "../ui/text/code.tsx";
import { DownloadIcon } from "../ui/base/icons.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./api-keys.module.css";

const examples: readonly { scope: Scope; path: string }[] = [
  { scope: "hosts:list", path: listHostsV2.path },
  { scope: "networks:list", path: listNetworksV2.path },
  { scope: "roles:list", path: listRoles.path },
  { scope: "tags:list", path: listTags.path },
  { scope: "routes:list", path: listRoutes.path },
  { scope: "audit-logs:list", path: listAuditLogs.path },
];

/** A call that this key can make: a list it has the scope for, or whoami. */
function exampleCall(token: string, scopes: readonly Scope[]): string {
  const { path } = examples.find(({ scope }) => scopes.includes(scope)) ?? whoami;
  return `curl -H "Authorization: Bearer ${token}" ${config.apiURL}${path}`;
}

interface NewTokenProps {
  apiKey: ApiKey & { token: string };
}

/** Shows a new token, which the server never returns again. */
export function NewToken({ apiKey: { id, name, token, scopes } }: NewTokenProps) {
  const download = () => downloadText(`${id}.txt`, `# ${name}\nLIGHTKEEPER_API_KEY=${token}\n`);
  return (
    <div className={styles.secret}>
      <Notice tone="warn">Copy this token now. You won’t be able to see it again.</Notice>
      <div>
        <p className={styles.label}>Token</p>
        <CodeBlock label="Token" copy="token" wrap>
          {token}
        </CodeBlock>
      </div>
      <div>
        <p className={styles.label}>Try it</p>
        <CodeBlock label="Example call" copy="example call" wrap>
          {exampleCall(token, scopes)}
        </CodeBlock>
      </div>
      <div className={styles.actions}>
        <Button icon={<DownloadIcon />} onClick={download}>
          Download token
        </Button>
      </div>
    </div>
  );
}

export const leaveWithoutTokenTexts = {
  title: "Leave without the token?",
  consequence: "You won’t be able to see the token again. Without it, you have to rotate the key to use it.",
};
