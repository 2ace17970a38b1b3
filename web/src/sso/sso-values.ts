/** The settings as form values. An empty claim stands for none. */
import {
  ENDPOINT_VALID_DAYS,
  type BodyInputOf,
  type OidcClaim,
  type OidcProvider,
  type SsoDefaultRole,
  type updateOidcProvider,
} from "@lightkeeper/contract";
import type { UseFormReturn } from "react-hook-form";

export interface SsoValues {
  name: string;
  issuerURL: string;
  clientID: string;
  clientSecret: string;
  allowedDomains: string[];
  requiredClaim: OidcClaim;
  auditorClaim: OidcClaim;
  /** Empty until chosen. */
  defaultRole: SsoDefaultRole | "";
  trustsEmails: boolean;
  endpoint: {
    networkID: string | null;
    roleID: string | null;
    tags: string[];
    validDays: number;
    requiresApproval: boolean;
  };
}

export type SsoFormState = UseFormReturn<SsoValues>;

const none = { name: "", value: "" };

export const toValues = (provider: OidcProvider | null): SsoValues => ({
  name: provider?.name ?? "",
  issuerURL: provider?.issuerURL ?? "",
  clientID: provider?.clientID ?? "",
  clientSecret: "",
  allowedDomains: provider?.allowedDomains ?? [],
  requiredClaim: provider?.requiredClaim ?? none,
  auditorClaim: provider?.auditorClaim ?? none,
  defaultRole: provider?.defaultRole ?? "",
  trustsEmails: provider?.trustsEmails ?? false,
  endpoint: provider?.endpoint ?? {
    networkID: null,
    roleID: null,
    tags: [],
    validDays: ENDPOINT_VALID_DAYS,
    requiresApproval: false,
  },
});

const toClaim = ({ name, value }: OidcClaim) => (name.trim() || value.trim() ? { name, value } : null);

export function toBody(values: SsoValues): BodyInputOf<typeof updateOidcProvider> {
  const { clientSecret, requiredClaim, auditorClaim, defaultRole, endpoint, ...rest } = values;
  const { networkID } = endpoint;
  return {
    ...rest,
    ...(clientSecret && { clientSecret }),
    ...(defaultRole && { defaultRole }),
    allowedDomains: values.allowedDomains.filter((domain) => domain.trim() !== ""),
    requiredClaim: toClaim(requiredClaim),
    auditorClaim: toClaim(auditorClaim),
    endpoint: networkID === null ? null : { ...endpoint, networkID },
  };
}
