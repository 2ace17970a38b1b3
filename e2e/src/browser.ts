/** Chromium as a person would use it, with everything it complains about kept. */
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, expect, inject } from "vitest";

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Console errors and warnings, uncaught errors, failed policies: empty at the end of every test. */
  complaints: string[];
}

interface Tokens {
  userToken: string;
  /** Without it the second factor is still owed. */
  authToken?: string;
}

export interface VisitorOptions {
  width?: number;
  height?: number;
  colorScheme?: "dark" | "light" | "no-preference";
  /** A touch screen: targets are larger. */
  touch?: boolean;
  url?: string;
  /** Whoever is signed in already. */
  account?: Tokens;
}

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
];

/**
 * A browser for the test file, and visitors in it; each visitor has cookies and storage of its own. It starts with
 * the first of them, by the program that is given then.
 */
export function useBrowser(executable: () => string = () => "/usr/bin/chromium") {
  let browser: Promise<Browser> | undefined;
  const visitors: Visitor[] = [];
  const launch = () => chromium.launch({ executablePath: executable(), headless: true, args: FLAGS });
  afterAll(async () => (await browser)?.close());
  afterEach(() => {
    const complaints = visitors.flatMap((visitor) => visitor.complaints.splice(0));
    expect(complaints, "what the browser complained about").toEqual([]);
  });

  return async (options: VisitorOptions = {}): Promise<Visitor> => {
    const { width = 1280, height = 800, colorScheme = "dark", touch = false } = options;
    const { url = inject("server").url, account } = options;
    browser ??= launch();
    const context = await (
      await browser
    ).newContext({
      baseURL: url,
      viewport: { width, height },
      colorScheme,
      hasTouch: touch,
      isMobile: touch,
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(15_000);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    if (account) await keepTokens(context, url, account);
    const complaints: string[] = [];
    context.on("page", (page) => listen(page, complaints));
    const visitor = { page: await context.newPage(), context, complaints };
    visitors.push(visitor);
    return visitor;
  };
}

/** The cookies the console would have written. */
export async function keepTokens(
  context: BrowserContext,
  url: string,
  { userToken, authToken }: Tokens,
): Promise<void> {
  const cookie = { url, sameSite: "Strict", secure: true, expires: Date.now() / 1000 + 86_400 } as const;
  await context.addCookies([{ ...cookie, name: "usertoken", value: userToken }]);
  if (authToken) await context.addCookies([{ ...cookie, name: "authtoken", value: authToken }]);
}

/** What the browser itself logs for an answer of 4xx: the tests look at those themselves. */
const ANSWERED = /Failed to load resource: the server responded with a status of 4\d\d/;

function listen(page: Page, complaints: string[]): void {
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    const { type, text } = { type: message.type(), text: message.text() };
    if ((type === "error" || type === "warning") && !ANSWERED.test(text)) complaints.push(`${type}: ${text}`);
  });
}

/** Takes out the complaints a test has provoked on purpose; all others still fail it. */
export function takeComplaints({ complaints }: Visitor, expected: RegExp): string[] {
  const taken = complaints.filter((complaint) => expected.test(complaint));
  complaints.splice(0, complaints.length, ...complaints.filter((complaint) => !expected.test(complaint)));
  return taken;
}
