import { updateNetworkV2 } from "@lightkeeper/contract";
import { act, screen, within } from "@testing-library/react";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { useNavigate } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { network } from "../testing/samples.ts";
import { failure, transport, unreachable } from "../testing/transport.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { EditForm } from "./edit-form.tsx";
import { nothingToLose } from "./leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { takeReturnTo } from "../lib/session.ts";
import { removeAuthTokens } from "../lib/tokens.ts";

beforeEach(signIn);

interface Values {
  name: string;
  rules: { port: number }[];
}
const first: Values = { name: "Ops", rules: [{ port: 22 }] };

function Page() {
  const [latest, setLatest] = useState(first);
  const form = useForm<Values>({ defaultValues: first });
  const { mutateAsync: update } = useWrite(updateNetworkV2);
  const navigate = useNavigate();
  async function save({ name }: Values) {
    await update({ params: { networkID: network.id }, body: { name, lighthousesAsRelays: false } });
    await navigate("/list", nothingToLose);
  }
  return (
    <>
      <EditForm form={form} noun="role" latest={latest} save={save} submitLabel="Save" cancelTo="/list">
        <Field label="Name" error={form.formState.errors.name?.message}>
          <TextInput {...form.register("name")} />
        </Field>
        <p>Ports: {form.watch("rules").map(({ port }) => port)}</p>
      </EditForm>
      <button type="button" onClick={() => setLatest({ name: "Ops", rules: [{ port: 443 }] })}>
        Someone saves
      </button>
    </>
  );
}

const open = () =>
  renderRoutes(
    [
      { path: "/roles/1", element: <Page /> },
      { path: "*", element: <p>Elsewhere</p> },
    ],
    "/roles/1?tab=rules",
  );
const nameInput = () => screen.getByLabelText<HTMLInputElement>("Name");
const save = () => screen.getByRole("button", { name: "Save" });
const someoneSaves = () => screen.getByRole("button", { name: "Someone saves" });

it("takes a nested change of the server while the form is clean", async () => {
  const { user } = open();
  await user.click(someoneSaves());
  expect(screen.getByText("Ports: 443")).toBeDefined();
  expect(screen.queryByText(/was changed by someone else/)).toBeNull();
});

it("keeps the typed values on request, without a notice until the next change", async () => {
  const { user } = open();
  await user.type(nameInput(), " team");
  await user.click(someoneSaves());
  expect(screen.getByText(/^This role was changed by someone else\./)).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Keep mine" }));
  expect(screen.queryByText(/was changed by someone else/)).toBeNull();
  expect(nameInput().value).toBe("Ops team");
  expect(screen.getByText("Ports: 22")).toBeDefined();
  await user.click(screen.getByRole("link", { name: "Cancel" }));
  expect(await screen.findByRole("alertdialog")).toBeDefined();
});

it("loads the new values on request, and is clean afterwards", async () => {
  const { user, path } = open();
  await user.type(nameInput(), " team");
  await user.click(someoneSaves());
  await user.click(screen.getByRole("button", { name: "Load new values" }));
  expect(nameInput().value).toBe("Ops");
  expect(screen.getByText("Ports: 443")).toBeDefined();
  await user.click(screen.getByRole("link", { name: "Cancel" }));
  expect(path()).toBe("/list");
});

it("shows that the API is unreachable, keeps the form, and saves once it is back [S8.4]", async () => {
  const said = vi.spyOn(window, "alert").mockImplementation(() => undefined);
  const api = transport().on(updateNetworkV2, () => {
    throw unreachable();
  });
  const { user, path } = open();
  await user.type(nameInput(), " team");
  await user.click(save());
  await vi.waitFor(() =>
    expect(said).toHaveBeenCalledWith("Can’t reach Lightkeeper. Check your connection and try again."),
  );
  expect(said).toHaveBeenCalledOnce();
  expect(nameInput().value).toBe("Ops team");
  api.on(updateNetworkV2, () => network);
  await user.click(save());
  await vi.waitFor(() => expect(path()).toBe("/list"));
  said.mockRestore();
});

it("goes to the second factor when it is required again, and restores the form afterwards", async () => {
  transport().on(updateNetworkV2, () => {
    throw failure("ERR_2FA_RENEWAL_REQUIRED");
  });
  const { user, path, router } = open();
  await user.type(nameInput(), " team");
  await user.click(save());
  await screen.findByText("Elsewhere");
  expect(path()).toBe("/auth/mfa/renew");
  const back = takeReturnTo();
  expect(back).toBe("/roles/1?tab=rules");
  await act(() => router.navigate(back));
  expect((await screen.findByLabelText<HTMLInputElement>("Name")).value).toBe("Ops team");
  await user.click(screen.getByRole("link", { name: "Cancel" }));
  expect(within(await screen.findByRole("alertdialog")).getByText(/will be lost/)).toBeDefined();
});

it("restores typed values once after the second factor expired while typing", async () => {
  const { user, router } = open();
  await user.type(nameInput(), " team");
  act(removeAuthTokens);
  await act(() => router.navigate("/auth/mfa"));
  await screen.findByText("Elsewhere");
  signIn();
  await act(() => router.navigate("/roles/1"));
  await screen.findByLabelText("Name");
  expect(nameInput().value).toBe("Ops team");
  await act(() => router.navigate("/list", nothingToLose));
  await screen.findByText("Elsewhere");
  await act(() => router.navigate("/roles/1"));
  await screen.findByLabelText("Name");
  expect(nameInput().value).toBe("Ops");
});

it("makes the browser ask before the tab is closed, only while there are unsaved changes", async () => {
  const { user } = open();
  const asks = () => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(asks()).toBe(false);
  await user.type(nameInput(), "!");
  expect(asks()).toBe(true);
});
