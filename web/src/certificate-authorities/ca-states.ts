import type { CertificateAuthority } from "@lightkeeper/contract";
import type { StatusProps } from "../ui/feedback/status.tsx";

interface CaState {
  label: string;
  tone: StatusProps["tone"];
  description: string;
}

export const caStates: Readonly<Record<CertificateAuthority["state"], CaState>> = {
  PENDING: {
    label: "Pending",
    tone: "new",
    description: "Being distributed to hosts. Doesn’t sign certificates yet.",
  },
  SIGNING: { label: "Signing", tone: "ok", description: "Signs all new certificates of its network." },
  TRUSTED: {
    label: "Trusted",
    tone: "warn",
    description: "No longer signs. Existing certificates remain valid.",
  },
  RETIRED: { label: "Retired", tone: "off", description: "No host trusts this CA." },
};
