/** A page whose code is outdated or cannot be loaded. */
import { createNetwork } from "@lightkeeper/contract";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { takeProblems, useBrowser } from "./browser.ts";
import { button, expectTitle, heading, link, rowOf, PATIENT } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;

beforeAll(async () => {
  account = await createAccount(server);
  await account.call(createNetwork, { body: { name: "Harbour" } });
});

describe("a new version", () => {
  it("is detected within ten minutes and announced, and loads with the next page [S1.6] [S4.16] [S9.5]", async () => {
    const { page } = await visit({ account });
    const currentVersion = (await (await page.request.get("/v")).text()).trim();
    let version = currentVersion;
    let requestCount = 0;
    await page.route("**/v", async (route) => {
      requestCount += 1;
      await route.fulfill({ contentType: "text/plain", body: version });
    });
    await page.clock.install();
    await page.goto("/settings/networks");
    await rowOf(page, "Harbour").waitFor();
    await expect.poll(() => requestCount, PATIENT).toBe(1);
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    const isSame = () => page.evaluate(() => "sameDocument" in window);
    version = `${currentVersion}-next`;
    await page.clock.fastForward(599_000);
    expect(requestCount).toBe(1);
    await page.clock.fastForward(2000);
    const notice = page.getByText(
      "A new version of Lightkeeper is available. It loads with the next page you open.",
    );
    await notice.waitFor();
    expect(await isSame()).toBe(true);
    // The document that is loaded now is the new version.
    page.once("domcontentloaded", () => (version = currentVersion));
    await link(page, "Harbour").click();
    await expect.poll(isSame, PATIENT).toBe(false);
    await heading(page, "Edit Harbour").waitFor();
    expect(await notice.count()).toBe(0);
  });
});

describe("code that cannot be loaded", () => {
  it("shows the error page and is reported, and Refresh recovers [S2.31] [S8.5]", async () => {
    const visitor = await visit({ account });
    const { page } = visitor;
    const reports: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/client-errors")) reports.push(request.postData() ?? "");
    });
    await page.route("**/assets/network-add-page-*.js", (route) => route.abort());
    await page.goto("/settings/networks/add");
    await heading(page, "Oops, something went wrong").waitFor();
    await expectTitle(page, "Error");
    await page.getByText("Our team has been notified. Try refreshing").waitFor();
    const mail = link(page, "support@lightkeeper.example");
    expect(await mail.getAttribute("href")).toBe("mailto:support@lightkeeper.example");
    await page.getByText("Error details").click();
    await page.getByText("Couldn’t load this page’s code.").waitFor();
    await expect.poll(() => reports.length, PATIENT).toBeGreaterThan(0);
    expect(reports.join()).toContain("/settings/networks/add");
    expect(
      takeProblems(visitor, /ERR_FAILED|dynamically imported module|Matched leaf route/).length,
    ).toBeGreaterThan(0);

    await page.unroute("**/assets/network-add-page-*.js");
    await button(page, "Refresh").click();
    await heading(page, "Add network").waitFor();
  });

  it.each([
    { file: "role-add-page-*.js", path: "/roles/add", title: "Add role" },
    { file: "downloads-page-*.css", path: "/downloads", title: "Downloads" },
  ])("recovers automatically when $file can be loaded again", async ({ file, path, title }) => {
    const visitor = await visit({ account });
    const { page } = visitor;
    await page.route(`**/assets/${file}`, (route) => route.abort());
    await page.goto(path);
    await heading(page, "Oops, something went wrong").waitFor();
    await page.getByText("Error details").click();
    await page.getByText("Couldn’t load this page’s code.").waitFor();
    await page.unroute(`**/assets/${file}`);
    await heading(page, title).waitFor();
    const expected = /ERR_FAILED|dynamically imported module|Unable to preload CSS|Matched leaf route/;
    expect(takeProblems(visitor, expected).length).toBeGreaterThan(0);
  });
});
