/** Invalid, expired and used links and codes: the exact messages, and how to continue. */
import { randomBytes } from "node:crypto";
import { signup } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Account, clientFor, codeFor, createUser, createAccount, newEmail } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { expireLinks, expireSetups, forgetUsedCodes, removeAuthenticators } from "./database.ts";
import { linksFor, waitForLink } from "./mailbox.ts";
import {
  requestLink,
  button,
  expectPath,
  expectTitle,
  field,
  enterCode,
  finishSetup,
  heading,
  link,
  openLink,
  readManualKey,
  expectText,
  PATIENT,
} from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
const { dataDir } = server;

/** Never logs in: shared by the tests that don't create a session. */
let page: Page;
beforeAll(async () => {
  ({ page } = await visit());
});

const LINK_INVALID = "Magic link was invalid";
const TOO_MANY = "Too many requests, please try again later.";
const CODE_INVALID = "That code didn\u2018t work, please try again.";

/** A code that is invalid now and in the adjacent time steps. */
const wrongCode = (secret: string) => {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => codeFor(secret, steps)));
  return ["111111", "222222", "333333", "444444", "555555", "666666"].find((code) => !right.has(code))!;
};

describe("requesting a link", () => {
  it("rejects an invalid email address, and keeps it in the field [S5.3]", async () => {
    await page.goto("/auth/login");
    await field(page, "Email address").fill("someone at example");
    await button(page, "Send link").click();
    await expectText(page, "That doesn\u2019t look like a valid email format.");
    expect(await field(page, "Email address").inputValue()).toBe("someone at example");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), PATIENT).toBe("INPUT");
  });

  it("shows the same page for known and unknown addresses", async () => {
    const { email } = await createUser(server);
    const screens: string[] = [];
    for (const address of [email, newEmail()]) {
      await page.goto("/auth/login");
      await requestLink(page, address);
      const screen = await page.getByRole("main").innerText();
      screens.push(screen.replace(address, "someone").replace(/in \d+ s/, "in a while"));
    }
    expect(screens[0]).toContain("someone");
    expect(screens[0]).toBe(screens[1]);
  });

  it.each(["/auth/login", "/signup"])("shows an error on %s after too many requests [S8.7]", async (path) => {
    const email = newEmail();
    for (let times = 0; times < 5; times++) await clientFor(server.url)(signup, { body: { email } });
    await page.goto(path);
    if (path === "/auth/login")
      for (let times = 0; times < 5; times++) {
        await requestLink(page, email);
        await button(page, "Use another address").click();
      }
    await field(page, "Email address").fill(email);
    await button(page, "Send link").click();
    await expectText(page, TOO_MANY);
    expect(await field(page, "Email address").inputValue()).toBe(email);
  });
});

describe("a link", () => {
  it("that was never sent is rejected, and a new link can be requested [S5.4]", async () => {
    await openLink(page, `/auth/magic-link?magicLinkToken=${randomBytes(32).toString("base64url")}`);
    await expectText(page, LINK_INVALID);
    await link(page, "Get a new link").click();
    await expectPath(page, "/auth/login");
  });

  it("that is malformed is rejected with the same message [S5.4]", async () => {
    await openLink(page, `/auth/magic-link?magicLinkToken=${"x".repeat(5000)}`);
    await expectText(page, LINK_INVALID);
  });

  it("without a token is reported as incomplete", async () => {
    await page.goto("/auth/magic-link");
    await expectText(
      page,
      "This login link is incomplete. Open it from your email again, or request a new one.",
    );
    await link(page, "Get a new link").click();
    await expectPath(page, "/auth/login");
  });

  it("that has expired is rejected [S5.4]", async () => {
    const email = newEmail();
    await page.goto("/signup");
    await requestLink(page, email);
    const address = await waitForLink(dataDir, email);
    expect(await expireLinks(dataDir, email)).toBe(1);
    await openLink(page, address);
    await expectText(page, LINK_INVALID);
    expect(await page.context().cookies()).toEqual([]);
  });

  it("works once, and invalidates earlier links [S5.4]", async () => {
    const email = newEmail();
    const { page } = await visit();
    await page.goto("/signup");
    await requestLink(page, email);
    const first = await waitForLink(dataDir, email);
    await page.goto("/signup");
    await requestLink(page, email);
    const second = await waitForLink(dataDir, email, { after: 1 });
    await openLink(page, second);
    await heading(page, "Set up your authenticator").waitFor();
    for (const used of [second, first]) {
      const other = await visit();
      await openLink(other.page, used);
      await expectText(other.page, LINK_INVALID);
    }
  });
});

describe("a code", () => {
  let account: Account;
  beforeEach(async () => {
    account = await createAccount(server);
  });
  const withoutSecondFactor = () => ({ userToken: account.userToken });

  it("that is wrong or already used is rejected, and can be replaced by typing the next code [S5.5]", async () => {
    const { page } = await visit({ account: withoutSecondFactor() });
    await page.goto("/auth/mfa");
    await enterCode(page, wrongCode(account.secret));
    await expectText(page, CODE_INVALID);
    const used = codeFor(account.secret);
    await page.keyboard.type(used);
    await expectPath(page, "/get-started");

    const other = await visit({ account: withoutSecondFactor() });
    await other.page.goto("/auth/mfa");
    await enterCode(other.page, used);
    await expectText(other.page, CODE_INVALID);
    await enterCode(other.page, codeFor(account.secret, 1));
    await expectPath(other.page, "/get-started");
  });

  it("with too few digits is not sent", async () => {
    const { page } = await visit({ account: withoutSecondFactor() });
    await page.goto("/auth/mfa");
    await enterCode(page, "123");
    await button(page, "Log in").click();
    await expectText(page, "Enter all 6 digits.");
  });

  it("can't be guessed: after ten wrong codes the factor is locked, even for the right code [S8.7]", async () => {
    const { page } = await visit({ account: withoutSecondFactor() });
    await page.goto("/auth/mfa");
    const statuses: number[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("/v1/auth/totp")) statuses.push(response.status());
    });
    while (!statuses.includes(429) && statuses.length < 12) {
      const before = statuses.length;
      await enterCode(page, wrongCode(account.secret));
      await expect.poll(() => statuses.length, PATIENT).toBeGreaterThan(before);
      await button(page, "Log in").and(page.locator(":not([aria-busy])")).waitFor();
    }
    await expectText(page, TOO_MANY);
    await forgetUsedCodes(dataDir, account.email);
    await enterCode(page, codeFor(account.secret));
    await expect.poll(() => statuses.filter((status) => status === 429).length, PATIENT).toBe(2);
    await expectText(page, TOO_MANY);
    await expectPath(page, "/auth/mfa");
  });

  it("for an authenticator that was removed redirects to setting up a new authenticator [S8.8]", async () => {
    const other = await createAccount(server);
    const { page } = await visit({ account: { userToken: other.userToken } });
    await page.goto("/auth/mfa");
    await heading(page, "Second factor").waitFor();
    expect(await removeAuthenticators(dataDir, other.email)).toBe(1);
    await enterCode(page, codeFor(other.secret));
    await heading(page, "Set up your authenticator").waitFor();
    await expectText(page, "TOTP (re)enrollment is required.");
    await finishSetup(page, codeFor(await readManualKey(page)));
    await expectPath(page, "/get-started");
  });
});

describe("setting up an authenticator", () => {
  it("rejects a wrong code and keeps the key [S5.7]", async () => {
    const { page } = await visit({ account: await createUser(server) });
    await page.goto("/auth/mfa/register");
    const key = await readManualKey(page);
    await enterCode(page, wrongCode(key));
    await expectText(page, "The code was not valid \u2014 perhaps it expired?");
    expect(await readManualKey(page)).toBe(key);
    await finishSetup(page, codeFor(key));
    await expectPath(page, "/get-started");
  });

  it("shows a new QR code automatically when the old code has expired [S5.6]", async () => {
    const person = await createUser(server);
    const { page } = await visit({ account: person });
    await page.goto("/auth/mfa/register");
    const old = await readManualKey(page);
    expect(await expireSetups(dataDir, person.email)).toBeGreaterThan(0);
    await enterCode(page, codeFor(old));
    await expectText(page, "The QR code expired, please re-scan and try again.");
    await expect.poll(() => readManualKey(page), PATIENT).not.toBe(old);
    await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
    await finishSetup(page, codeFor(await readManualKey(page)));
    await expectPath(page, "/get-started");
  });

  it("redirects users who already have an authenticator", async () => {
    const account = await createAccount(server);
    const { page } = await visit({ account: { userToken: account.userToken } });
    await page.goto("/auth/mfa/register");
    await expectPath(page, "/auth/mfa");
  });
});

describe("the login pages", () => {
  it("show that single sign-on is not configured [S8.9] [S7.8]", async () => {
    await page.goto("/auth/login");
    await button(page, "Single sign-on").click();
    await field(page, "Work email or organization ID").fill(`org-${"A".repeat(26)}`);
    await button(page, "Continue with single sign-on").click();
    await expectPath(page, `/auth/login/org-${"A".repeat(26)}`);
    await expectText(page, "Single Sign-On is not configured.");
    await expectTitle(page, "Auth: Single sign-on");
    await link(page, "Back to login").click();
    await expectPath(page, "/auth/login");
  });

  it.each([
    "/auth/anything",
    "/auth",
    "/auth/mfa",
    "/auth/mfa/register",
    "/auth/mfa/renew",
    "/auth/mfa/else",
  ])("redirect from %s to the login without a user token [S2.3] [S4.15]", async (path) => {
    await page.goto(path);
    await expectPath(page, "/auth/login");
    await heading(page, "Log in").waitFor();
  });

  it("send no email until the form is submitted, and one email per submission", async () => {
    const email = newEmail();
    await page.goto("/signup");
    await field(page, "Email address").fill(email);
    expect(linksFor(dataDir, email)).toEqual([]);
    await button(page, "Send link").click();
    await waitForLink(dataDir, email);
    expect(linksFor(dataDir, email)).toHaveLength(1);
  });
});
