/** The payment provider, chosen by the configuration. */
import type { BillingProviderKind, Invoice } from "@lightkeeper/contract";
import type { User } from "../../infrastructure/http/actor.ts";

export interface BillingProvider {
  kind: BillingProviderKind;
  /** Returns the URL of the checkout page. */
  checkout(person: User): Promise<string>;
  /** Upgrades without a payment. */
  confirm(person: User): Promise<void>;
  /** Returns the URL where the payment method can be changed. */
  portal(person: User): Promise<string>;
  /** Returns the organization to the Free plan. */
  downgrade(person: User): Promise<void>;
  invoices(organizationID: string): Promise<Invoice[]>;
  /** Handles a webhook; the payload is the signed bytes. */
  receive(payload: Buffer, signature: string | undefined): Promise<void>;
  /** Does the background work that is due. */
  work(isStopped: () => boolean): Promise<void>;
}
