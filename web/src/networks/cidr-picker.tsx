import { parseIpPrefix } from "@lightkeeper/nebula";
import type { UseFormRegisterReturn } from "react-hook-form";
import { addressFamilyOf, type AddressFamily } from "../lib/address-family.ts";
import type { Rule } from "../lib/messages.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { describeCidr, describeIpv6Cidr } from "./describe-cidr.ts";
import styles from "./networks.module.css";

/** The server returns the reason as a fragment, completed to a sentence here. */
export const cidrRule = (path: string): Rule => ({
  path,
  codes: [
    "ERR_INVALID_IPV4_CIDR",
    "ERR_INVALID_CIDR_MASK_SIZE",
    "ERR_NETWORK_ALREADY_HAS_IPV4_CIDR",
    "ERR_INVALID_VALUE",
    "ERR_INVALID_VALUE_LENGTH",
  ],
  message: ({ message }) => `Can’t use this range: ${message}.`,
});

const families = {
  IPv4: { placeholder: "100.100.0.0/22", describe: describeCidr },
  IPv6: { placeholder: "fd12:3456:789a::/64", describe: describeIpv6Cidr },
} as const satisfies Record<AddressFamily, unknown>;

interface CidrPickerProps {
  label?: string | undefined;
  family?: AddressFamily;
  /** The server doesn't choose the range. */
  required?: boolean | undefined;
  registration: UseFormRegisterReturn;
  /** The text in the field. */
  value: string;
  error: string | undefined;
}

/** Chooses an address range of a network and describes it while typing. */
export function CidrPicker({
  label = "CIDR",
  family = "IPv4",
  required,
  registration,
  value,
  error,
}: CidrPickerProps) {
  const { placeholder, describe } = families[family];
  const isEmpty = value.trim() === "";
  return (
    <Field
      label={label}
      optional={!required}
      error={error}
      hint={
        <>
          {!(required && isEmpty) && <span className={styles.live}>{describe(value)} </span>}
          Hosts get their {label === "CIDR" ? "" : `${family} `}addresses from this range. You can’t change it
          later.
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
        placeholder={placeholder}
      />
    </Field>
  );
}

const otherFamily = { IPv4: "IPv6", IPv6: "IPv4" } as const;

/** Rejects a range of the other family. The server validates everything else. */
export const validateFamily = (text: string, family: AddressFamily) =>
  !parseIpPrefix(text.trim()) ||
  addressFamilyOf(text) === family ||
  `This is an ${otherFamily[family]} range. Enter an ${family} range such as ${families[family].placeholder}.`;

/** For ranges that the server doesn't choose. */
export const requireIpv4Cidr = (text: string) =>
  text.trim() === "" ? "Enter an IPv4 range such as 100.100.0.0/22." : validateFamily(text, "IPv4");
