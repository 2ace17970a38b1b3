import type { UseFormRegisterReturn } from "react-hook-form";
import type { Rule } from "../lib/messages.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { describeCidr } from "./cidr-words.ts";
import styles from "./networks.module.css";

/** The server says exactly what is wrong with a CIDR; it only lacks the sentence's shape. */
export const cidrRules: readonly Rule[] = [
  {
    path: "cidr",
    codes: [
      "ERR_INVALID_IPV4_CIDR",
      "ERR_INVALID_CIDR_MASK_SIZE",
      "ERR_INVALID_VALUE",
      "ERR_INVALID_VALUE_LENGTH",
    ],
    message: ({ message }) => `The CIDR is refused: ${message}.`,
  },
];

interface CidrPickerProps {
  registration: UseFormRegisterReturn;
  /** What has been typed so far. */
  value: string;
  error: string | undefined;
}

/** Chooses a network's addresses, and says as one types how many there are. */
export function CidrPicker({ registration, value, error }: CidrPickerProps) {
  return (
    <Field
      label="CIDR"
      optional
      error={error}
      hint={
        <>
          <span className={styles.live}>{describeCidr(value)}</span> Every host of the network gets its
          address from here. It cannot be changed later.
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
