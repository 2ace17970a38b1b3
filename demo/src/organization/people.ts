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
const ACCEPTED_AFTER_MS = 10 * 60_000;

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

export class People {
  readonly #options: PeopleOptions;

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  async signUp(email: string): Promise<Person> {
    await this.#client()(signup, { body: { email } });
    const magicLinkToken = await this.#options.linkToken(email);
    const { sessionToken } = await this.#client()(verifyMagicLink, { body: { magicLinkToken } });
    return this.#registerFactor(email, sessionToken);
  }

  /** Invites the person and accepts the invitation a few minutes later. */
  async join(inviter: Person, email: string, role: MemberRole): Promise<Person> {
    await inviter.call(inviteMember, { body: { email, role } });
    this.#options.advance(ACCEPTED_AFTER_MS);
    const magicLinkToken = await this.#requestLink(email);
    const { invitations } = await this.#client()(listInvitationsByLink, { body: { magicLinkToken } });
    const { sessionToken } = await this.#client()(acceptInvitation, {
      params: { invitationID: invitations[0]?.id ?? "" },
      body: { magicLinkToken, role },
    });
    return this.#registerFactor(email, sessionToken);
  }

  #client(...tokens: string[]): Client {
    const authorization = tokens.length > 0 ? `Bearer ${tokens.join(" ")}` : undefined;
    return createClient({ baseURL: this.#options.url, authorization: () => authorization });
  }

  #codeOf(secret: string): string {
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: this.#options.now() });
  }

  async #requestLink(email: string): Promise<string> {
    await this.#client()(sendMagicLink, { body: { email } });
    return this.#options.linkToken(email);
  }

  async #registerFactor(email: string, sessionToken: string): Promise<Person> {
    const call = this.#client(sessionToken);
    const { totpToken, secret } = await call(createTotpAuthenticator, { body: { name: "Phone" } });
    const body = { totpToken, code: this.#codeOf(secret) };
    const { authToken } = await call(verifyTotpAuthenticator, { body });
    const loggedInAtMs = this.#options.now();
    return this.#createPerson(email, { sessionToken, authToken, totpSecret: secret, loggedInAtMs });
  }

  async #logIn(email: string, totpSecret: string): Promise<Credentials> {
    this.#options.advance(2 * STEP_MS);
    const body = { magicLinkToken: await this.#requestLink(email) };
    const { sessionToken } = await this.#client()(verifyMagicLink, { body });
    const { authToken } = await this.#client(sessionToken)(logInWithTotp, {
      body: { code: this.#codeOf(totpSecret) },
    });
    return { sessionToken, authToken, totpSecret, loggedInAtMs: this.#options.now() };
  }

  #createPerson(email: string, first: Credentials): Person {
    let credentials = first;
    return {
      email,
      call: async (endpoint, ...input) => {
        if (this.#options.now() - credentials.loggedInAtMs > SESSION_MS)
          credentials = await this.#logIn(email, credentials.totpSecret);
        return this.#client(credentials.sessionToken, credentials.authToken)(endpoint, ...input);
      },
    };
  }
}
