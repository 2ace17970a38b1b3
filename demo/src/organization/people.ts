/** The members of the demo's organization, who sign up and log in through the API like everyone else. */
import {
  acceptInvitation,
  type Client,
  createClient,
  createTotpAuthenticator,
  inviteMember,
  listInvitationsByLink,
  logInWithTotp,
  type MemberRole,
  sendMagicLink,
  signup,
  verifyMagicLink,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { Secret, TOTP } from "otpauth";

export const OWNER_EMAIL = "owner@harborline.example";
const SESSION_MS = 15 * 3_600_000;
const STEP_MS = 30_000;

export interface Person {
  email: string;
  /** Logs in first if the last login has expired. */
  call: Client;
}

interface Credentials {
  sessionToken: string;
  authToken: string;
  totpSecret: string;
  loggedInAtMs: number;
}

export interface PeopleOptions {
  url: string;
  now: () => number;
  /** Moves the clock, because each code of an authenticator works once. */
  advance: (ms: number) => void;
  /** Sends queued mail and returns the token of the newest link to the address. */
  linkToken: (email: string) => Promise<string>;
}

export function createPeople({ url, now, advance, linkToken }: PeopleOptions) {
  const client = (...tokens: string[]) =>
    createClient({ baseURL: url, authorization: () => tokens.length > 0 ? `Bearer ${tokens.join(" ")}` : undefined });
  const codeOf = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now() });

  async function registerFactor(email: string, sessionToken: string): Promise<Person> {
    const call = client(sessionToken);
    const { totpToken, secret } = await call(createTotpAuthenticator, { body: { name: "Phone" } });
    const { authToken } = await call(verifyTotpAuthenticator, { body: { totpToken, code: codeOf(secret) } });
    return createPerson(email, { sessionToken, authToken, totpSecret: secret, loggedInAtMs: now() });
  }

  async function logIn(email: string, totpSecret: string): Promise<Credentials> {
    advance(2 * STEP_MS);
    await client()(sendMagicLink, { body: { email } });
    const magicLinkToken = await linkToken(email);
    const { sessionToken } = await client()(verifyMagicLink, { body: { magicLinkToken } });
    const { authToken } = await client(sessionToken)(logInWithTotp, { body: { code: codeOf(totpSecret) } });
    return { sessionToken, authToken, totpSecret, loggedInAtMs: now() };
  }

  function createPerson(email: string, first: Credentials): Person {
    let credentials = first;
    return {
      email,
      call: async (endpoint, ...input) => {
        if (now() - credentials.loggedInAtMs > SESSION_MS) credentials = await logIn(email, credentials.totpSecret);
        return client(credentials.sessionToken, credentials.authToken)(endpoint, ...input);
      },
    };
  }

  return {
    async signUp(email: string): Promise<Person> {
      await client()(signup, { body: { email } });
      const magicLinkToken = await linkToken(email);
      const { sessionToken } = await client()(verifyMagicLink, { body: { magicLinkToken } });
      return registerFactor(email, sessionToken);
    },

    /** Invites the person and accepts the invitation a few minutes later. */
    async join(inviter: Person, email: string, role: MemberRole): Promise<Person> {
      await inviter.call(inviteMember, { body: { email, role } });
      advance(10 * 60_000);
      const magicLinkToken = await linkToken(email);
      const { invitations } = await client()(listInvitationsByLink, { body: { magicLinkToken } });
      const invitationID = invitations[0]?.id ?? "";
      const { sessionToken } = await client()(acceptInvitation, {
        params: { invitationID },
        body: { magicLinkToken, role },
      });
      return registerFactor(email, sessionToken);
    },
  };
}
