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

/** A call this key may make: it shows something where it can, else who it is. */
function exampleCall(token: string, scopes: readonly Scope[]): string {
  const { path } = examples.find(({ scope }) => scopes.includes(scope)) ?? whoami;
  return `curl -H "Authorization: Bearer ${token}" ${config.apiURL}${path}`;
}

interface NewTokenProps {
  apiKey: ApiKey & { token: string };
}

/** The only time a token is shown. */
export function NewToken({ apiKey: { id, name, token, scopes } }: NewTokenProps) {
  const download = () => downloadText(`${id}.txt`, `# ${name}\nLIGHTKEEPER_API_KEY=${token}\n`);
  return (
    <div className={styles.secret}>
      <Notice tone="warn">This token is shown now and never again. Keep it where secrets are kept.</Notice>
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

export const withoutToken = {
  title: "Leave without the token?",
  consequence: "It is not shown again. A key whose token nobody has is of no use until it is rotated.",
};
