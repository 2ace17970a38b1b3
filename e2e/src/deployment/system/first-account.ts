/** Signs up with the setup code, as the first person on a server in production. */
import {
  type Client,
  createTotpAuthenticator,
  signup,
  verifyMagicLink,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { previousCodeFor } from "../../account.ts";
import type { MailServer } from "./mail-server.ts";

const MAGIC_LINK_TOKEN = /(?<=magicLinkToken=)[\w-]+/;

interface Person {
  email: string;
  setupCode: string;
  mail: MailServer;
  /** Creates a client that sends the tokens. */
  connect: (...tokens: string[]) => Client;
}

/** Returns a client that is logged in. */
export async function createFirstAccount({ email, setupCode, mail, connect }: Person): Promise<Client> {
  await connect()(signup, { body: { email, setupCode } });
  const magicLinkToken = await mail.waitFor(email, MAGIC_LINK_TOKEN);
  const { sessionToken } = await connect()(verifyMagicLink, { body: { magicLinkToken } });
  const { totpToken, secret } = await connect(sessionToken)(createTotpAuthenticator, { body: {} });
  const { authToken } = await connect(sessionToken)(verifyTotpAuthenticator, {
    body: { totpToken, code: await previousCodeFor(secret) },
  });
  return connect(sessionToken, authToken);
}
