import type { Network } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { CheckIcon } from "../ui/icons.tsx";
import { VisuallyHidden } from "../ui/visually-hidden.tsx";
import { classNames } from "../ui/class-names.ts";
import styles from "./get-started.module.css";

/** What a network needs to become useful, in order. */
export function Checklist({ network }: { network: Network }) {
  return (
    <ol className={styles.steps}>
      <Step name="Create a network" isDone>
        {network.name} · <code>{network.cidr}</code>
      </Step>
      <Step name="Add a lighthouse">
        A host with a public address. The others ask it where to find one another.
      </Step>
      <Step name="Add your hosts">
        Install the agent on each machine and enroll it with a code: it gets its address and its certificate.
      </Step>
      <Step name="Say who may reach whom">
        Nothing is open until a role or a tag allows it. Give each host the role it plays.
      </Step>
    </ol>
  );
}

function Step({ name, isDone = false, children }: { name: string; isDone?: boolean; children: ReactNode }) {
  return (
    <li className={styles.step}>
      <span className={classNames(styles.mark, isDone && styles.done)}>{isDone && <CheckIcon />}</span>
      <span className={styles.name}>
        {name}
        {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
      </span>
      <span className={styles.text}>{children}</span>
    </li>
  );
}
