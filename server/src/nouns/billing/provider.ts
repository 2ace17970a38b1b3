/** Who takes the money. One of these is chosen by the configuration; nothing else knows which. */
import type { BillingProviderKind, Invoice } from "@lightkeeper/contract";
import type { User } from "../../infrastructure/http/credentials.ts";

export interface BillingProvider {
  kind: BillingProviderKind;
  /** Where the person pays for the upgrade. */
  checkout(person: User): Promise<string>;
  /** Upgrades without a payment. */
  confirm(person: User): Promise<void>;
  /** Where the person changes how it is paid. */
  portal(person: User): Promise<string>;
  /** Back to the free plan. */
  downgrade(person: User): Promise<void>;
  invoices(organizationID: string): Promise<Invoice[]>;
  /** What the provider says by itself, word for word as it was signed. */
  receive(payload: Buffer, signature: string | undefined): Promise<void>;
  /** Brings about what is due beside requests. */
  work(isStopped: () => boolean): Promise<void>;
}
