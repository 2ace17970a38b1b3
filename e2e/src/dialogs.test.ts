/** A dialog that is still appearing neither moves nor cuts off the lists in it. */
import { createNetwork } from "@lightkeeper/contract";
import { expect, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { heading } from "./steps.ts";

const visit = useBrowser();

it("places a list in a dialog relative to the screen, also while the dialog appears [S9.8]", async () => {
  const account = await createAccount(inject("server"));
  await account.call(createNetwork, { body: { name: "Harbour" } });
  const { page, context } = await visit({ account });
  await openPage(page, "/hosts");
  await heading(page, "Hosts · 0").waitFor();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  const protocol = await context.newCDPSession(page);
  await protocol.send("Animation.enable");
  await protocol.send("Animation.setPlaybackRate", { playbackRate: 0 });
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.waitFor({ state: "attached" });
  const seen = await dialog.evaluate((element) => {
    const list = element.appendChild(document.createElement("div"));
    Object.assign(list.style, { position: "fixed", inset: "0" });
    const { x, y, width, height } = list.getBoundingClientRect();
    return {
      isAppearing: element.getAnimations().length > 0,
      list: [x, y, width, height],
      isCornerShown: document.elementFromPoint(1, 1) === list,
    };
  });
  expect(seen).toEqual({ isAppearing: true, list: [0, 0, 1280, 800], isCornerShown: true });
});
