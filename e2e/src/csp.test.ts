/** User input is shown exactly as typed, and no code in it ever runs. */
import { createNetwork, listNetworks } from "@lightkeeper/contract";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { takeProblems, useBrowser, type Visitor } from "./browser.ts";
import { button, chooseInRowMenu, field, heading, link, rowOf, expectText } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;
let visitor: Visitor;

const names = {
  markup: `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`,
  entities: "&lt;b&gt; &amp; \"quotes\" 'n' {{7*7}} ${7*7}",
  rightToLeft: "شبكة الميناء الشرقي",
  emoji: "⚓️ 👩🏽‍🚒 Feuerwehr 🇮🇸",
  long: "Vaðlaheiðarvegavinnuverkfærageymsluskúrslyklakippuhringurinn".repeat(5).slice(0, 255),
};

/** Records every violation of the policy, and every alert. */
async function watch({ page, context }: Visitor): Promise<{ alerts: string[] }> {
  const alerts: string[] = [];
  page.on("dialog", (dialog) => {
    alerts.push(dialog.message());
    void dialog.dismiss();
  });
  await context.addInitScript(() => {
    const violations: string[] = [];
    Object.assign(window, { violations });
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      violations.push(`${violatedDirective} ${blockedURI}`),
    );
  });
  return { alerts };
}

const violationsOf = ({ page }: Visitor) =>
  page.evaluate(() => (window as unknown as { violations: string[] }).violations);
const hasRun = ({ page }: Visitor) => page.evaluate(() => "ran" in window);

beforeAll(async () => {
  account = await createAccount(server);
  for (const name of Object.values(names))
    await account.call(createNetwork, { body: { name, description: name } });
  visitor = await visit({ account });
});

describe("names with markup, emoji or long text", () => {
  it("are shown exactly in the list, the form, the dialog and the toast, and run no code", async () => {
    const { page } = visitor;
    const { alerts } = await watch(visitor);
    await page.goto("/settings/networks");
    for (const name of Object.values(names)) await rowOf(page, name).waitFor();
    await link(page, names.markup).click();
    await heading(page, `Edit ${names.markup}`).waitFor();
    expect(await page.title()).toBe(`Edit ${names.markup} - Lightkeeper`);
    expect(await field(page, "Name").inputValue()).toBe(names.markup);
    await button(page, "Save").click();
    await expectText(page, `Network ${names.markup} saved`);
    await chooseInRowMenu(page, names.markup, "Delete…");
    const dialog = page.getByRole("alertdialog", { name: `Delete network ${names.markup}?` });
    await button(dialog, "Cancel").click();
    expect(await page.locator("img[src=x]").count()).toBe(0);
    expect(await hasRun(visitor)).toBe(false);
    expect(await violationsOf(visitor)).toEqual([]);
    expect(alerts).toEqual([]);
  });

  it.each([1280, 320])("fit a screen %i px wide, including the longest", async (width) => {
    const { page } = visitor;
    await page.setViewportSize({ width, height: 800 });
    const { data } = await account.call(listNetworks);
    const long = data.find(({ name }) => name === names.long)!;
    for (const path of ["/settings/networks", `/settings/networks/${long.id}`]) {
      await page.goto(path);
      await page.getByText(names.long).filter({ visible: true }).first().waitFor();
      const { scrollWidth, clientWidth } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.scrollingElement!;
        return { scrollWidth, clientWidth };
      });
      expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    }
    await button(page, "Delete network…").click();
    const confirm = button(page.getByRole("alertdialog"), "Delete network");
    const box = await confirm.boundingBox();
    expect(box!.x + box!.width).toBeLessThanOrEqual(width);
    expect(box!.y + box!.height).toBeLessThanOrEqual(800);
    await page.keyboard.press("Escape");
  });
});

describe("the content security policy", () => {
  it("is sent with every page, without unsafe sources", async () => {
    for (const path of [
      "/",
      "/auth/login",
      "/settings/networks",
      "/no/such/page",
      "/dev/mail",
      "/docs/api",
    ]) {
      const answer = await fetch(server.url + path);
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe|\*|https?:\/\//);
    }
  });

  it("blocks inline scripts and inline handlers, however they were injected", async () => {
    const visited = await visit({ account });
    await watch(visited);
    await visited.page.goto("/settings/networks");
    await rowOf(visited.page, names.emoji).waitFor();
    const rejected = await visited.page.evaluate(() => {
      const make = document.createElement.bind(document);
      const attempts = [
        () => make("img").setAttribute("onerror", "window.ran = 1"),
        () => document.body.append(Object.assign(make("script"), { text: "window.ran = 1" })),
        () => document.body.append(Object.assign(make("script"), { src: "/assets/any.js" })),
        () => document.body.insertAdjacentHTML("beforeend", "<b>markup</b>"),
        () => make("a").setAttribute("onclick", "window.ran = 1"),
      ];
      return attempts.map((attempt) => {
        try {
          attempt();
          return "taken";
        } catch {
          return "rejected";
        }
      });
    });
    expect(rejected).toEqual(["rejected", "rejected", "rejected", "rejected", "rejected"]);
    expect(await violationsOf(visited)).toHaveLength(rejected.length);
    expect(await hasRun(visited)).toBe(false);
    expect(takeProblems(visited, /This document requires 'Trusted/)).toHaveLength(rejected.length);
  });

  // The browser reports each violation as a problem, so the tests of all other pages would fail too.
  it("is not violated by a page for people who are signed out", async () => {
    const signedOut = await visit();
    await watch(signedOut);
    const open = ["/auth/login", "/signup", "/auth/magic-link", "/deleted-account", "/dev/mail", "/docs/api"];
    for (const path of open) {
      await signedOut.page.goto(path);
      await signedOut.page.getByRole("heading", { level: 1 }).waitFor();
      expect(await violationsOf(signedOut)).toEqual([]);
    }
  });
});
