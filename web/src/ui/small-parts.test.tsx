import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { create } from "qrcode";
import { expect, it, vi } from "vitest";
import { Chip } from "./text/chip.tsx";
import { EnvironmentBadge, Logo } from "./base/logo.tsx";
import { PageHeader } from "./pages/page-header.tsx";
import QRCode from "./text/qr-code.tsx";
import { SkipLink } from "./pages/skip-link.tsx";

it("draws the logo in a 120 by 32 view box, 32 high by default [S9.8] [S2.4]", () => {
  render(<Logo />);
  const logo = screen.getByRole("img", { name: "Lightkeeper" });
  expect(logo.getAttribute("viewBox")).toBe("0 0 120 32");
  expect(logo.getAttribute("height")).toBe("32");
  expect(logo.getAttribute("width")).toBe("120");
});

it("shows the environment's name [S1.3]", () => {
  render(<EnvironmentBadge>Preview</EnvironmentBadge>);
  expect(screen.queryByText("Preview")).not.toBeNull();
});

it("moves the focus to the main content without changing the URL [S2.24]", async () => {
  render(
    <>
      <SkipLink targetID="main" />
      <main id="main" tabIndex={-1} />
    </>,
  );
  await userEvent.click(screen.getByRole("link", { name: "Go to main content" }));
  expect(document.activeElement).toBe(screen.getByRole("main"));
  expect(location.hash).toBe("");
});

it("shows the count beside the title", () => {
  render(<PageHeader title="Networks" count={1204} />);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Networks · 1,204");
});

it("labels the button that removes a chip", async () => {
  const remove = vi.fn<() => void>();
  render(
    <Chip onRemove={remove} removeLabel="Remove filter Production">
      Production
    </Chip>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Remove filter Production" }));
  expect(remove).toHaveBeenCalledTimes(1);
});

it("draws every dark module of a QR code, inside a quiet zone of four", () => {
  const value = "otpauth://totp/Lightkeeper:someone@example.com?secret=JBSWY3DPEHPK3PXP";
  render(<QRCode value={value} label="Authenticator" />);
  const code = screen.getByRole("img", { name: "Authenticator" });
  const { modules } = create(value, { errorCorrectionLevel: "M" });
  const side = modules.size + 8;
  expect(code.getAttribute("viewBox")).toBe(`-4 -4 ${side} ${side}`);
  const path = code.querySelector("path")?.getAttribute("d") ?? "";
  const drawn = new Set<string>();
  for (const [, column, row, length] of path.matchAll(/M(\d+) (\d+)h(\d+)/g))
    for (let step = 0; step < Number(length); step += 1) drawn.add(`${Number(row)},${Number(column) + step}`);
  const dark = Array.from({ length: modules.size ** 2 }, (_, index) => index).filter(
    (index) => modules.data[index],
  );
  expect(drawn.size).toBe(dark.length);
  for (const index of dark)
    expect(drawn.has(`${Math.floor(index / modules.size)},${index % modules.size}`)).toBe(true);
});
