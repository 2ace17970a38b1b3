/** Emails the person in whose name a device enrolled. */
import type { Writer } from "../../infrastructure/db/client.ts";
import { queueMail } from "../mail/queue-mail.ts";

interface EnrolledDevice {
  endpointUserID: string | null;
  organizationID: string;
  name: string;
  /** The IP address that the device enrolled from. */
  ip: string;
  now: Date;
}

/** Runs in the transaction of the enrollment. A host without an owner sends no email. */
export async function notifyDeviceOwner(
  tx: Writer,
  { endpointUserID, organizationID, name, ip, now }: EnrolledDevice,
): Promise<void> {
  if (endpointUserID === null) return;
  const owner = await tx
    .selectFrom("endpoint_users")
    .innerJoin("organizations", "organizations.id", "endpoint_users.organization_id")
    .select(["endpoint_users.email", "organizations.name as organization"])
    .where("endpoint_users.organization_id", "=", organizationID)
    .where("endpoint_users.id", "=", endpointUserID)
    .executeTakeFirst();
  if (!owner) return;
  const { email, organization } = owner;
  const content = {
    subject: `The device ${name} was enrolled in your name`,
    lines: [
      `The device ${name} joined the network of ${organization} after a sign-in with your account (${email}).`,
      `Time: ${now.toUTCString()}\nIP address: ${ip}`,
      "If you enrolled this device, there is nothing to do.",
      `If you didn’t, ask an administrator of ${organization} to block the host ${name} immediately, and secure your account at your identity provider.`,
    ],
  };
  await queueMail(tx, { kind: "notice", email, content, now });
}
