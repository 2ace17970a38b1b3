/** A visitor of the running demo, in Chromium. */
import type { Client, HostV2 } from "@lightkeeper/contract";
import type { Locator, Page } from "playwright-core";
import type { Visitor, VisitorOptions } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { trackRequests } from "./request-tracker.ts";
import { heading } from "./steps.ts";

export interface DemoWorkspace {
  url: string;
  loginLink: string;
  call: Client;
  hosts: readonly HostV2[];
}

/** What a visitor must not see: data is missing, or a page is broken. */
const BROKEN =
  /\b(unknown|undefined|NaN|Invalid Date|not reported|something went wrong|nothing here)\b|\[object /i;
const OUTSIDE_CONSOLE = /^\/(docs|v1|v2|downloads\/.|openapi)/;

export class DemoVisitor {
  readonly page: Page;
  /** Responses that aren't OK. */
  readonly failed: string[] = [];
  readonly #requests: ReturnType<typeof trackRequests>;

  constructor(page: Page) {
    this.page = page;
    this.#requests = trackRequests(page);
    page.on("response", (response) => {
      if (response.status() >= 400) this.failed.push(`${response.status()} ${response.url()}`);
    });
  }

  static async logIn(
    visit: (options: VisitorOptions) => Promise<Visitor>,
    { url, loginLink }: DemoWorkspace,
    options: VisitorOptions = {},
  ): Promise<DemoVisitor> {
    const { page } = await visit({ url, ...options });
    const visitor = new DemoVisitor(page);
    await page.goto(loginLink);
    await heading(page, /^Hosts/).waitFor();
    return visitor;
  }

  get main(): Locator {
    return this.page.getByRole("main");
  }

  waitUntilQuiet = () => this.#requests.waitUntilQuiet();

  async open(path: string): Promise<void> {
    await openPage(this.page, path);
    await this.waitUntilQuiet();
  }

  /** With the count of a list: "Hosts · 190". */
  readHeading = () => this.page.locator("h1").first().innerText();

  /** The links of the page into the console. */
  async listLinks(): Promise<string[]> {
    const links = this.page.locator("a[href^='/']:not([download], [target])");
    const paths = await links.evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href")));
    return paths.filter((path) => path !== null).filter((path) => !OUTSIDE_CONSOLE.test(path));
  }

  async findBrokenLines(): Promise<string[]> {
    const text = `${await this.page.title()}\n${await this.page.locator("main").innerText()}`;
    const { pathname } = new URL(this.page.url());
    return text.split("\n").flatMap((line) => (BROKEN.test(line) ? [`${pathname}: ${line}`] : []));
  }
}
