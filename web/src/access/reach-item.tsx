import type { AccessRule } from "@lightkeeper/contract";
import { useId, useState } from "react";
import { RuleLink } from "../rules/rule-link.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { Button } from "../ui/controls/button.tsx";
import styles from "./host-access.module.css";

interface ReachItemProps {
  name: string;
  /** "env:prod · 372 hosts" */
  details: string;
  /** "TCP 5432 (PostgreSQL)" */
  traffic: string;
  rules: readonly AccessRule[];
}

/** Hosts or a subnet with the allowed traffic. "Why?" shows the rules. */
export function ReachItem({ name, details, traffic, rules }: ReachItemProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <li className={styles.item}>
      <div className={styles.summary}>
        <div className={styles.text}>
          <p className={styles.name}>
            <bdi>{name}</bdi> <span className={styles.details}>{details}</span>
          </p>
          <p className={styles.traffic}>{traffic}</p>
        </div>
        {rules.length > 0 && (
          <Button
            variant="quiet"
            size="small"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            Why?
            <VisuallyHidden>
              {" "}
              {name} {traffic}
            </VisuallyHidden>
          </Button>
        )}
      </div>
      <ul id={id} hidden={!isOpen} aria-label={`Rules for ${name}`} className={styles.rules}>
        {isOpen &&
          rules.map((rule) => (
            <li key={`${rule.source.type} ${rule.source.id} ${rule.index}`}>
              <RuleLink rule={rule} />
            </li>
          ))}
      </ul>
    </li>
  );
}
