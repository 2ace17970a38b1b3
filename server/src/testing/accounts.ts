/** Accounts for tests, created through the API. */
import {
  type Client,
  createTotpAuthenticator,
  signup,
  verifyMagicLink,
  verifyTotpAuthenticator,
  whoami,
} from "@lightkeeper/contract";
import type { Message } from "../infrastructure/mail/mailer.ts";

export interface Session {
  call: Client;
  email: string;
  userToken: string;
  authToken: string;
  totpSecret: string;
  organizationID: string;
  userID: string;
}

export interface TestAccounts {
  /** Creates an account with a second factor. */
  signUp: (email?: string) => Promise<Session>;
  /** Registers the first authenticator of an account. */
  registerFactor: (email: string, sessionToken: string) => Promise<Session>;
  /** Sends queued mail and returns the token of the newest link to the address. */
  linkToken: (email: string) => Promise<string>;
}

interface TestAccountsOptions {
  client: (...tokens: string[]) => Client;
  code: (secret: string) => string;
  setupCode: string | undefined;
  mails: readonly Message[];
  deliverMail: () => Promise<void>;
}

let accountCount = 0;

export function createTestAccounts({
  client,
  code,
  setupCode,
  mails,
  deliverMail,
}: TestAccountsOptions): TestAccounts {
  const linkToken = async (email: string) => {
    await deliverMail();
    const links = mails.flatMap(({ to, text }) =>
      to === email ? (/magicLinkToken=([\w-]+)/.exec(text)?.[1] ?? []) : [],
    );
    const token = links.at(-1);
    if (!token) throw new Error(`No link was sent to ${email}`);
    return token;
  };

  const registerFactor = async (email: string, sessionToken: string): Promise<Session> => {
    const userTokenCall = client(sessionToken);
    const setup = await userTokenCall(createTotpAuthenticator, { body: {} });
    const { authToken } = await userTokenCall(verifyTotpAuthenticator, {
      body: { totpToken: setup.totpToken, code: code(setup.secret) },
    });
    const call = client(sessionToken, authToken);
    const { actor, organization } = await call(whoami);
    return {
      call,
      email,
      userToken: sessionToken,
      authToken,
      totpSecret: setup.secret,
      organizationID: organization.id,
      userID: actor.id,
    };
  };

  const signUp = async (email = `person${++accountCount}@example.com`): Promise<Session> => {
    const anonymous = client();
    await anonymous(signup, { body: { email, ...(setupCode && { setupCode }) } });
    const { sessionToken } = await anonymous(verifyMagicLink, {
      body: { magicLinkToken: await linkToken(email) },
    });
    return registerFactor(email, sessionToken);
  };

  return { signUp, registerFactor, linkToken };
}
