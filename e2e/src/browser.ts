/** Chromium for tests, with all its errors and warnings recorded. */
import { DAY_SECONDS } from "@lightkeeper/contract/durations";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, expect, inject } from "vitest";
import { PATIENT } from "./steps.ts";

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Console errors and warnings, uncaught errors and policy violations. Must be empty at the end of every test. */
  problems: string[];
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
  // Pages are closed before optimized code would pay off.
  "--js-flags=--no-opt --no-maglev",
];

/** Chromium without the parts for a screen, which would use more CPU. */
export const CHROMIUM = "/usr/bin/chromium-headless-shell";

/** One browser per test file, started for the first visitor. Each visitor has its own cookies and storage. */
export function useBrowser(executable: () => string = () => CHROMIUM) {
  let browser: Promise<Browser> | undefined;
  const visitors: Visitor[] = [];
  const launch = () => chromium.launch({ executablePath: executable(), headless: true, args: FLAGS });
  afterAll(async () => (await browser)?.close());
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await printPages(visitors);
    const problems = visitors.flatMap((visitor) => visitor.problems.splice(0));
    expect(problems.join("\n"), "problems that the browser reported").toBe("");
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
    context.setDefaultTimeout(PATIENT.timeout);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    if (account) await setTokenCookies(context, url, account);
    const problems: string[] = [];
    context.on("page", (page) => listen(page, problems));
    const visitor = { page: await context.newPage(), context, problems };
    visitors.push(visitor);
    return visitor;
  };
}

/** Prints what the visitors of a failed test see. */
async function printPages(visitors: readonly Visitor[]): Promise<void> {
  for (const page of visitors.flatMap(({ context }) => context.pages())) {
    const content = await page.locator("body").ariaSnapshot().catch(String);
    process.stderr.write(`The page ${page.url()} of the failed test:\n${content}\n`);
  }
}

/** Sets the cookies that the console writes. */
export async function setTokenCookies(
  context: BrowserContext,
  url: string,
  { userToken, authToken }: Tokens,
): Promise<void> {
  const cookie = { url, sameSite: "Strict", secure: true, expires: Date.now() / 1000 + DAY_SECONDS } as const;
  await context.addCookies([{ ...cookie, name: "usertoken", value: userToken }]);
  if (authToken) await context.addCookies([{ ...cookie, name: "authtoken", value: authToken }]);
}

/** The browser logs every 4xx response; tests check those themselves. */
const CLIENT_ERROR_RESPONSE = /Failed to load resource: the server responded with a status of 4\d\d/;

function listen(page: Page, problems: string[]): void {
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    const { type, text } = { type: message.type(), text: message.text() };
    if ((type === "error" || type === "warning") && !CLIENT_ERROR_RESPONSE.test(text))
      problems.push(`${type}: ${text}`);
  });
}

/** Removes and returns the expected problems; all others still fail the test. */
export function takeProblems({ problems }: Visitor, expected: RegExp): string[] {
  const taken = problems.filter((problem) => expected.test(problem));
  problems.splice(0, problems.length, ...problems.filter((problem) => !expected.test(problem)));
  return taken;
}
