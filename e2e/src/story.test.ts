/** The first 15 minutes of a new user. */
import { DAY_SECONDS } from "@lightkeeper/contract/durations";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { codeFor, previousCodeFor, newEmail } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { linksFor, waitForLink } from "./mailbox.ts";
import {
  requestLink,
  button,
  chooseInRowMenu,
  expectPath,
  expectTitle,
  field,
  enterCode,
  heading,
  link,
  logOut,
  openLink,
  PATIENT,
  readManualKey,
  rowOf,
  expectText,
} from "./steps.ts";
import { describeStory } from "./story.ts";

const visit = useBrowser();
const { dataDir } = inject("server");
const email = newEmail();
let page: Page;
let secret: string;

beforeAll(async () => {
  ({ page } = await visit());
});

describeStory("the first 15 minutes", () => {
  describe("a new user", () => {
    it("signs up with an email address and finds the link in the local mailbox [S1.2] [S4.4] [S7.3]", async () => {
      await page.goto("/");
      await expectPath(page, "/auth/login");
      await link(page, "Create an account").click();
      await heading(page, "Sign up").waitFor();
      await expectTitle(page, "Sign up");
      // Without Stripe there are no plans to choose from.
      expect(await page.getByRole("radio").count()).toBe(0);
      await requestLink(page, email);
      await expectTitle(page, "Auth: Check your email");
      await expectText(page, email);

      const address = await waitForLink(dataDir, email);
      await link(page, "open the mailbox").click();
      await heading(page, "Local mailbox").waitFor();
      const mail = page.getByRole("listitem").filter({ hasText: email });
      await mail.getByRole("heading", { name: "Confirm your email address for Lightkeeper" }).waitFor();
      expect(await mail.getByRole("link").getAttribute("href")).toBe(address);
      await mail.getByRole("link").click();
    });

    it("confirms the link with a click, and its token isn't in the address bar [S4.4] [S7.5]", async () => {
      await heading(page, "Log in").waitFor();
      await expectTitle(page, "Auth: Log in");
      await expectPath(page, "/auth/magic-link");
      await button(page, "Log in").click();
      await expectPath(page, "/auth/mfa/register");
    });

    it("sets up an authenticator by QR code or by hand [S4.5] [S7.19] [S7.20] [S2.30]", async () => {
      await heading(page, "Set up your authenticator").waitFor();
      await expectTitle(page, "Auth: Set up your authenticator");
      const picture = page.getByRole("img", { name: "QR code for your authenticator app" });
      const box = await picture.boundingBox();
      expect(box?.width).toBeGreaterThanOrEqual(160);
      secret = await readManualKey(page);
      const address = new URL(
        (await link(page, "Open in an authenticator app on this device").getAttribute("href")) ?? "",
      );
      expect(address.protocol).toBe("otpauth:");
      expect(address.searchParams.get("secret")).toBe(secret);
      expect(decodeURIComponent(address.pathname)).toContain(email);
      await button(page, "Copy setup key").click();
      await page.getByRole("tooltip", { name: "Copied!" }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);

      await enterCode(page, await previousCodeFor(secret));
    });

    it("saves the recovery codes", async () => {
      await heading(page, "Save your recovery codes").waitFor();
      await button(page, "I’ve saved them").waitFor();
      const codes = await page
        .getByRole("list", { name: "Recovery codes" })
        .getByRole("listitem")
        .allInnerTexts();
      expect(codes).toHaveLength(10);
      await button(page, "Copy recovery codes").click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(codes.join("\n"));
      const download = page.waitForEvent("download");
      await button(page, "Download recovery codes").click();
      expect((await download).suggestedFilename()).toBe("lightkeeper-recovery-codes.txt");
      await button(page, "I’ve saved them").click();
    });

    it("is redirected to creating the first network [S4.13]", async () => {
      await expectPath(page, "/get-started");
    });

    it("gets the tokens in strict, secure cookies [S3.1] [S9.4]", async () => {
      const cookies = await page.context().cookies();
      expect(cookies.map(({ name }) => name).sort()).toEqual(["authtoken", "usertoken"]);
      for (const { sameSite, path, secure } of cookies)
        expect({ sameSite, path, secure }).toEqual({ sameSite: "Strict", path: "/", secure: true });
      const daysLeft = ({ expires }: { expires: number }) => (expires - Date.now() / 1000) / DAY_SECONDS;
      const find = (wanted: string) => cookies.find(({ name }) => name === wanted)!;
      expect(daysLeft(find("authtoken"))).toBeCloseTo(0.67, 2);
      expect(daysLeft(find("usertoken"))).toBeGreaterThan(399);
    });
  });

  describe("the first network", () => {
    it("is created after sign-up, and the next steps are shown [S2.5] [S7.12]", async () => {
      await heading(page, "Create your first network").waitFor();
      await expectTitle(page, "Get started");
      await field(page, "Name").fill("Harbour");
      expect(await field(page, /^CIDR/).inputValue()).toBe("100.100.0.0/22");
      await expectText(page, "1,022 host addresses, 100.100.0.1 to 100.100.3.254.");
      await button(page, "Create network").click();
      await heading(page, "Set up your network").waitFor();
      const done = page.getByRole("listitem").filter({ hasText: "Create a network" });
      expect(await done.innerText()).toContain("Harbour · 100.100.0.0/22");
      await link(page, "Go to networks").click();
      await heading(page, "Networks · 1").waitFor();
      await expectTitle(page, "Networks");
      expect(await rowOf(page, "Harbour").innerText()).toContain("100.100.0.0/22");
    });

    it("can be followed by a second network, but not with the same name [S5.2] [S3.5]", async () => {
      await link(page, "Add network").click();
      await expectTitle(page, "Add network");
      await field(page, "Name").fill("Harbour");
      await button(page, "Add network").click();
      await expectText(page, "You already have a network with this name, try another");
      await field(page, /^CIDR/).fill("100.100.0.0/22");
      await field(page, "Name").fill("Lagoon");
      await button(page, "Add network").click();
      await page.getByText(/^Can’t use this range: .*overlap/).waitFor();
      await field(page, /^CIDR/).fill("");
      await field(page, /^Description/).fill("Where the boats are");
      await button(page, "Add network").click();
      await expectText(page, "Network Lagoon added");
      await heading(page, "Networks · 2").waitFor();
      expect(await rowOf(page, "Lagoon").innerText()).toMatch(/Where the boats are[^]*100\.100\.4\.0\/22/);
    });

    it("can be edited [S2.20] [S7.11] [S7.13]", async () => {
      await chooseInRowMenu(page, "Lagoon", "Edit");
      await heading(page, "Edit Lagoon").waitFor();
      await expectTitle(page, "Edit Lagoon");
      await field(page, "Name").fill("Laguna");
      await page.getByRole("checkbox", { name: "Use lighthouses as relays" }).check();
      await button(page, "Save").click();
      await expectText(page, "Network Laguna saved");
      await expectPath(page, "/settings/networks");
      await link(page, "Laguna").click();
      await heading(page, "Edit Laguna").waitFor();
      expect(await page.getByRole("checkbox", { name: "Use lighthouses as relays" }).isChecked()).toBe(true);
      expect(await field(page, /^Description/).inputValue()).toBe("Where the boats are");
    });

    it("has a form that asks before unsaved changes are lost", async () => {
      await field(page, "Name").fill("Half a thought");
      await link(page, "Cancel").click();
      const dialog = page.getByRole("alertdialog", { name: "Leave without saving?" });
      await button(dialog, "Cancel").click();
      expect(await field(page, "Name").inputValue()).toBe("Half a thought");
      await link(page, "Cancel").click();
      await button(dialog, "Leave").click();
      await heading(page, "Networks · 2").waitFor();
      await link(page, "Laguna").waitFor();
    });

    it("can be deleted in a dialog with its name and the consequence [S7.14]", async () => {
      await chooseInRowMenu(page, "Laguna", "Delete…");
      const dialog = page.getByRole("alertdialog", { name: "Delete network Laguna?" });
      expect(await dialog.innerText()).toContain("100.100.4.0/22 becomes available for other networks");
      await button(dialog, "Cancel").click();
      await dialog.waitFor({ state: "detached" });
      await chooseInRowMenu(page, "Laguna", "Delete…");
      await button(dialog, "Delete network").click();
      await expectText(page, "Network Laguna deleted");
      await heading(page, "Networks · 1").waitFor();
      expect(await link(page, "Laguna").count()).toBe(0);
    });
  });

  describe("a network with hosts in it", () => {
    it("shows its first host as waiting for enrollment [S2.7] [S3.8]", async () => {
      await link(page.getByRole("navigation", { name: "Main" }), "Hosts").click();
      await heading(page, "Hosts · 0").waitFor();
      await link(page, "Add host").click();
      await expectTitle(page, "Add host");
      await field(page, "Name").fill("ferry");
      await button(page, "Add host").click();
      await expectText(page, "ferry added");
      await heading(page, "Enroll ferry").waitFor();
      await expectTitle(page, "Enroll ferry");
      const command = page.getByText(/^curl -fsSL .*\/install\.sh \| sudo sh -s -- --code/);
      await command.waitFor();
      await page.getByText("Waiting for the host…").waitFor();
      const shown = await command.innerText();
      await page.reload();
      await command.waitFor();
      expect(await command.innerText()).toBe(shown);
    });

    it("can't be deleted, and the dialog shows why, with the exact spacing [S8.14]", async () => {
      await page.goto("/settings/networks");
      await chooseInRowMenu(page, "Harbour", "Delete…");
      const dialog = page.getByRole("alertdialog", { name: "Delete network Harbour?" });
      await button(dialog, "Delete network").click();
      const why =
        "This network contains hosts, relays, and/or lighthouses.  Please delete them and try again.";
      await expect.poll(() => dialog.getByRole("alert").innerText(), PATIENT).toContain(why);
      await button(dialog, "Cancel").click();
      await link(page, "Harbour").waitFor();
    });
  });

  describe("a returning user", () => {
    it("logs out [S2.29] [S4.12] [S7.6]", async () => {
      await button(page, "Your Account").click();
      await expectText(page.getByRole("menu"), email);
      await page.keyboard.press("Escape");
      await logOut(page);
      await expectPath(page, "/auth/login");
      expect(await page.context().cookies()).toEqual([]);
      await page.goto("/settings/networks");
      await expectPath(page, "/auth/login");
    });

    it("logs in again by link and code, and returns to the requested page [S1.2] [S7.4] [S7.7]", async () => {
      const before = linksFor(dataDir, email).length;
      await requestLink(page, email);
      await openLink(page, await waitForLink(dataDir, email, { after: before }));
      await heading(page, "Second factor").waitFor();
      await expectTitle(page, "Auth: Second factor");
      await expectText(page, email);
      await enterCode(page, codeFor(secret));
      await expectPath(page, "/settings/networks");
      await rowOf(page, "Harbour").waitFor();
    });
  });
});
