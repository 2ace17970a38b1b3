import type { UseFormRegisterReturn } from "react-hook-form";
import type { Rule } from "../lib/messages.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { describeCidr } from "./describe-cidr.ts";
import styles from "./networks.module.css";

/** The server returns the reason as a fragment, completed to a sentence here. */
export const cidrRules: readonly Rule[] = [
  {
    path: "cidr",
    codes: [
      "ERR_INVALID_IPV4_CIDR",
      "ERR_INVALID_CIDR_MASK_SIZE",
      "ERR_INVALID_VALUE",
      "ERR_INVALID_VALUE_LENGTH",
    ],
    message: ({ message }) => `Can’t use this range: ${message}.`,
  },
];

interface CidrPickerProps {
  registration: UseFormRegisterReturn;
  /** The text in the field. */
  value: string;
  error: string | undefined;
}

/** Chooses the address range of a network and describes it while typing. */
export function CidrPicker({ registration, value, error }: CidrPickerProps) {
  return (
    <Field
      label="CIDR"
      optional
      error={error}
      hint={
        <>
          <span className={styles.live}>{describeCidr(value)}</span> Hosts get their addresses from this
          range. You can’t change it later.
        </>
      }
    >
      <TextInput
        {...registration}
        mono
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        inputMode="text"
        placeholder="100.100.0.0/22"
      />
    </Field>
  );
}
