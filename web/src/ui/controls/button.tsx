import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { Link } from "react-router";
import styles from "./button.module.css";
import { classNames } from "../base/class-names.ts";
import { useReadOnly } from "../base/read-only.ts";

interface Look {
  variant?: "primary" | "default" | "quiet" | "danger" | undefined;
  size?: "small" | "medium" | "large" | undefined;
  /** Full width. */
  wide?: boolean | undefined;
  icon?: ReactNode;
}

export interface ButtonProps extends ComponentProps<"button">, Look {
  /** In progress: the label and the focus stay, and clicks are ignored. */
  pending?: boolean | undefined;
}

export interface LinkButtonProps extends ComponentProps<typeof Link>, Look {
  /** Links to a page that changes something: hidden from auditors. */
  writes?: boolean | undefined;
}

function lookClass({ variant = "default", size = "medium", wide }: Look, className?: string) {
  return classNames(
    styles.button,
    styles[variant],
    size !== "medium" && styles[size],
    wide && styles.wide,
    className,
  );
}

export function Button(props: ButtonProps) {
  const { variant, size, wide, icon, pending, className, onClick, children, ...rest } = props;
  function handleClick(event: MouseEvent<HTMLButtonElement>) {
    if (pending) event.preventDefault();
    else onClick?.(event);
  }
  return (
    <button
      type="button"
      {...rest}
      {...(pending && { "aria-disabled": true, "aria-busy": true })}
      className={lookClass({ variant, size, wide }, className)}
      onClick={handleClick}
    >
      {icon}
      {children}
    </button>
  );
}

export function LinkButton(props: LinkButtonProps) {
  const { variant, size, wide, icon, writes, className, children, ...rest } = props;
  if (useReadOnly() && writes) return null;
  return (
    <Link {...rest} className={lookClass({ variant, size, wide }, className)}>
      {icon}
      {children}
    </Link>
  );
}
