import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { Combobox, type ComboboxOption } from "./combobox.tsx";
import { Field } from "../forms/field.tsx";
import { MultiCombobox } from "./multi-combobox.tsx";

vi.setConfig({ testTimeout: 30_000 });

const fruits = ["Apple", "Banana", "Cherry"].map((label) => ({ value: label.toLowerCase(), label }));

function useFruits(all: readonly ComboboxOption[] | undefined) {
  const [search, setSearch] = useState<string>();
  const options = all?.filter(({ label }) => label.toLowerCase().includes((search ?? "").toLowerCase()));
  return { search, options, onSearch: setSearch };
}

function One({ isLooking = false, none }: { isLooking?: boolean; none?: string }) {
  const [value, setValue] = useState<string | null>("banana");
  const { search, ...source } = useFruits(isLooking ? undefined : fruits);
  return (
    <>
      <Field label="Fruit" error={value === null ? "Choose one" : undefined}>
        <Combobox
          {...source}
          value={value}
          onChange={setValue}
          selectedLabel={fruits.find((fruit) => fruit.value === value)?.label ?? ""}
          none={none}
        />
      </Field>
      <p>Chosen: {String(value)}</p>
      <p>Search: {search ?? "none"}</p>
    </>
  );
}

const activeOption = () => input().getAttribute("aria-activedescendant");
const input = () => screen.getByLabelText<HTMLInputElement>("Fruit");

it("selects a typed option with Enter", async () => {
  render(<One />);
  const user = userEvent.setup();
  expect(input().value).toBe("Banana");
  await user.click(input());
  await user.keyboard("{Control>}a{/Control}che");
  expect(await screen.findAllByRole("option")).toHaveLength(1);
  await user.keyboard("{Enter}");
  expect(screen.getByText("Chosen: cherry")).toBeDefined();
  expect(input().value).toBe("Cherry");
  expect(screen.getByText("Search: none")).toBeDefined();
});

it("selects the first option with Enter while no option is active", async () => {
  render(<One />);
  const user = userEvent.setup();
  await user.click(input());
  await user.keyboard("{Control>}a{/Control}che");
  await waitFor(() => expect(activeOption()).not.toBeNull());
  await user.keyboard("{ArrowUp}");
  expect(activeOption()).toBeNull();
  await user.keyboard("{Enter}");
  expect(screen.getByText("Chosen: cherry")).toBeDefined();
  expect(input().getAttribute("aria-expanded")).toBe("false");
});

it("makes the first option active when it arrives, also after an early Enter", async () => {
  const { rerender } = render(<One isLooking />);
  input().focus();
  fireEvent.change(input(), { target: { value: "che" } });
  fireEvent.keyDown(input(), { key: "Enter" });
  expect(screen.getByText("Chosen: banana")).toBeDefined();
  rerender(<One />);
  await waitFor(() => expect(activeOption()).not.toBeNull());
  await userEvent.setup().keyboard("{Enter}");
  expect(screen.getByText("Chosen: cherry")).toBeDefined();
});

it("searches for text that arrives while the list is closed, such as pasted text", async () => {
  render(<One />);
  fireEvent.focus(input());
  fireEvent.change(input(), { target: { value: "che" } });
  expect(await screen.findByText("Search: che")).toBeDefined();
  expect(await screen.findAllByRole("option")).toHaveLength(1);
});

it("restores the selected label on blur", async () => {
  render(<One />);
  const user = userEvent.setup();
  await user.click(input());
  await user.keyboard("{Control>}a{/Control}xyz");
  expect(await screen.findByRole("option", { name: "Nothing matches" })).toHaveProperty(
    "ariaDisabled",
    "true",
  );
  await user.keyboard("{Escape}");
  await user.tab();
  await waitFor(() => expect(input().value).toBe("Banana"));
  expect(screen.getByText("Chosen: banana")).toBeDefined();
});

it("offers to select none if allowed, and marks an invalid field", async () => {
  render(<One none="No fruit" />);
  const user = userEvent.setup();
  await user.click(input());
  await user.click(await screen.findByRole("option", { name: "No fruit" }));
  expect(screen.getByText("Chosen: null")).toBeDefined();
  expect(input().getAttribute("aria-invalid")).toBe("true");
  expect(input().placeholder).toBe("No fruit");
});

it("shows that it is searching while there are no options yet", async () => {
  render(<One isLooking />);
  await userEvent.setup().click(input());
  expect(await screen.findByRole("option", { name: "Searching…" })).toBeDefined();
});

function Several() {
  const [value, setValue] = useState<string[]>(["apple"]);
  const { search: _, ...source } = useFruits(fruits);
  const labelOf = (one: string) => fruits.find((fruit) => fruit.value === one)?.label ?? one;
  return (
    <>
      <Field label="Fruits">
        <MultiCombobox {...source} noun="fruit" value={value} onChange={setValue} labelOf={labelOf} />
      </Field>
      <p>Chosen: {value.join(" ")}</p>
    </>
  );
}

it("adds several values, each once, and removes them", async () => {
  render(<Several />);
  const user = userEvent.setup();
  await user.click(screen.getByLabelText("Fruits"));
  await user.keyboard("a");
  const offered = await screen.findAllByRole("option");
  expect(offered.map(({ textContent }) => textContent)).toEqual(["Banana"]);
  await user.keyboard("{Enter}");
  expect(screen.getByText("Chosen: apple banana")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Remove fruit Apple" }));
  expect(screen.getByText("Chosen: banana")).toBeDefined();
  expect(document.activeElement).toBe(screen.getByLabelText("Fruits"));
  await user.keyboard("{Backspace}");
  expect(screen.getByText("Chosen:")).toBeDefined();
});
