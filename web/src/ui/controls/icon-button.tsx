import type { ComponentProps, ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./icon-button.module.css";
import { Tooltip } from "./tooltip.tsx";

export interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label" | "children"> {
  /** The accessible name and, by default, the tooltip. */
  label: string;
  icon: ReactNode;
  tooltip?: string | false | undefined;
  tooltipOpen?: boolean | undefined;
  size?: "small" | "medium" | undefined;
  bordered?: boolean | undefined;
}

export function IconButton({ label, icon, tooltip = label, ...rest }: IconButtonProps) {
  const { size = "medium", bordered, tooltipOpen, className, ...buttonProps } = rest;
  const button = (
    <button
      type="button"
      {...buttonProps}
      aria-label={label}
      className={classNames(styles.button, styles[size], bordered && styles.bordered, className)}
    >
      {icon}
    </button>
  );
  if (tooltip === false) return button;
  return (
    <Tooltip text={tooltip} open={tooltipOpen}>
      {button}
    </Tooltip>
  );
}
