/** Chromium for tests, with all its errors and warnings recorded. */
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, expect, inject } from "vitest";

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Console errors and warnings, uncaught errors and policy violations. Must be empty at the end of every test. */
  complaints: string[];
}

interface Tokens {
  userToken: string;
  /** Missing if the user hasn't entered the second factor. */
  authToken?: string;
}

export interface VisitorOptions {
  width?: number;
  height?: number;
  colorScheme?: "dark" | "light" | "no-preference";
  /** A touch screen, with larger targets. */
  touch?: boolean;
  url?: string;
  /** The account that is logged in. */
  account?: Tokens;
}

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
];

/** One browser per test file, started for the first visitor. Each visitor has its own cookies and storage. */
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

/** Sets the cookies that the console writes. */
export async function keepTokens(
  context: BrowserContext,
  url: string,
  { userToken, authToken }: Tokens,
): Promise<void> {
  const cookie = { url, sameSite: "Strict", secure: true, expires: Date.now() / 1000 + 86_400 } as const;
  await context.addCookies([{ ...cookie, name: "usertoken", value: userToken }]);
  if (authToken) await context.addCookies([{ ...cookie, name: "authtoken", value: authToken }]);
}

/** The browser logs every 4xx response; tests check those themselves. */
const CLIENT_ERROR_RESPONSE = /Failed to load resource: the server responded with a status of 4\d\d/;

function listen(page: Page, complaints: string[]): void {
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    const { type, text } = { type: message.type(), text: message.text() };
    if ((type === "error" || type === "warning") && !CLIENT_ERROR_RESPONSE.test(text))
      complaints.push(`${type}: ${text}`);
  });
}

/** Removes and returns the expected complaints; all others still fail the test. */
export function takeComplaints({ complaints }: Visitor, expected: RegExp): string[] {
  const taken = complaints.filter((complaint) => expected.test(complaint));
  complaints.splice(0, complaints.length, ...complaints.filter((complaint) => !expected.test(complaint)));
  return taken;
}
