import type { ComponentProps } from "react";
import { SearchIcon } from "../base/icons.tsx";
import styles from "./search-input.module.css";

export interface SearchInputProps extends Omit<ComponentProps<"input">, "type" | "value" | "onChange"> {
  /** What the search covers: "Search name, address, tag or role". */
  label: string;
  value: string;
  onChange: (text: string) => void;
}

/** `/` focuses it; Escape clears it. */
export function SearchInput({ label, value, onChange, ...props }: SearchInputProps) {
  return (
    <div className={styles.search}>
      <SearchIcon className={styles.icon} />
      <input
        placeholder={label}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        dir="auto"
        {...props}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && onChange("")}
        className={styles.input}
      />
      <kbd aria-hidden="true" className={styles.key}>
        /
      </kbd>
    </div>
  );
}
