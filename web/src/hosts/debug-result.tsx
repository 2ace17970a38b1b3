import { CodeBlock } from "../ui/text/code.tsx";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import styles from "./host-debug.module.css";

interface DebugResultProps {
  title: string;
  result: unknown;
}

export function DebugResult({ title, result }: DebugResultProps) {
  const text = typeof result === "string" ? result : JSON.stringify(result, null, 2);
  return (
    <section aria-label="Result" className={styles.result}>
      <header className={styles.resultHead}>
        <h3>{title}</h3>
        <CopyButton what="result" value={text} />
      </header>
      {typeof result === "string" ? (
        <CodeBlock label="Result text">{result}</CodeBlock>
      ) : (
        <ResultFields fields={fieldsOf(result)} />
      )}
    </section>
  );
}

type Fields = Readonly<Record<string, unknown>>;

/** A result that isn't an object is shown as one field. */
const fieldsOf = (result: unknown): Fields =>
  isObject(result) && !Array.isArray(result) ? (result as Fields) : { Result: result };

const isNested = (value: unknown) =>
  typeof value === "object" &&
  value !== null &&
  !(Array.isArray(value) && value.every((item) => !isObject(item)));
const isObject = (value: unknown) => typeof value === "object" && value !== null;

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "—";
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** An IP address with or without a port, a fingerprint or a key: 7 or more hexadecimal digits, colons and dots. */
const EXACT_TEXT = /^(?=.*\d)[\da-f.:[\]]{7,}$/i;

/** Addresses, fingerprints and keys are worth copying; counts, durations, dates and names are not. */
function copyableText(value: unknown): string | undefined {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isExact =
    texts.length > 0 && texts.every((text) => typeof text === "string" && EXACT_TEXT.test(text));
  return isExact ? texts.join(", ") : undefined;
}

/** Shows plain values as text and nested ones as JSON. */
function ResultFields({ fields }: { fields: Fields }) {
  const entries = Object.entries(fields);
  if (entries.length === 0) return <p className={styles.muted}>The result is empty.</p>;
  return (
    <KeyValueList>
      {entries.map(([name, value]) =>
        isNested(value) ? (
          <KeyValue key={name} label={name}>
            <pre className={styles.nested}>{JSON.stringify(value, null, 2)}</pre>
          </KeyValue>
        ) : (
          <KeyValue key={name} label={name} mono copy={copyableText(value)}>
            {formatValue(value)}
          </KeyValue>
        ),
      )}
    </KeyValueList>
  );
}
