import { updateNetwork } from "@lightkeeper/contract";
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
import { useWrite } from "./query.ts";
import { takeReturnTo } from "./session.ts";
import { removeAuthTokens } from "./tokens.ts";

beforeEach(signIn);

interface Values {
  name: string;
  rules: { port: number }[];
}
const first: Values = { name: "Ops", rules: [{ port: 22 }] };

function Page() {
  const [latest, setLatest] = useState(first);
  const form = useForm<Values>({ defaultValues: first });
  const { mutateAsync: update } = useWrite(updateNetwork);
  const navigate = useNavigate();
  async function save({ name }: Values) {
    await update({ params: { networkID: network.id }, body: { name } });
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

it("follows a change deep inside while nothing was typed", async () => {
  const { user } = open();
  await user.click(someoneSaves());
  expect(screen.getByText("Ports: 443")).toBeDefined();
  expect(screen.queryByText(/changed meanwhile/)).toBeNull();
});

it("keeps what was typed when told to, and is quiet until the next change", async () => {
  const { user } = open();
  await user.type(nameInput(), " team");
  await user.click(someoneSaves());
  expect(screen.getByText(/^This role was changed meanwhile\./)).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Keep mine" }));
  expect(screen.queryByText(/changed meanwhile/)).toBeNull();
  expect(nameInput().value).toBe("Ops team");
  expect(screen.getByText("Ports: 22")).toBeDefined();
  await user.click(screen.getByRole("link", { name: "Cancel" }));
  expect(await screen.findByRole("alertdialog")).toBeDefined();
});

it("takes the new values when told to, and then has nothing to lose", async () => {
  const { user, path } = open();
  await user.type(nameInput(), " team");
  await user.click(someoneSaves());
  await user.click(screen.getByRole("button", { name: "Load the new values" }));
  expect(nameInput().value).toBe("Ops");
  expect(screen.getByText("Ports: 443")).toBeDefined();
  await user.click(screen.getByRole("link", { name: "Cancel" }));
  expect(path()).toBe("/list");
});

it("says that the API cannot be reached, keeps the form, and saves once it can [S8.4]", async () => {
  const said = vi.spyOn(window, "alert").mockImplementation(() => undefined);
  const api = transport().on(updateNetwork, () => {
    throw unreachable();
  });
  const { user, path } = open();
  await user.type(nameInput(), " team");
  await user.click(save());
  await vi.waitFor(() =>
    expect(said).toHaveBeenCalledWith(
      "Lightkeeper could not be reached. Check your connection and try again.",
    ),
  );
  expect(said).toHaveBeenCalledOnce();
  expect(nameInput().value).toBe("Ops team");
  api.on(updateNetwork, () => network);
  await user.click(save());
  await vi.waitFor(() => expect(path()).toBe("/list"));
  said.mockRestore();
});

it("goes to the second factor where it is wanted anew, and comes back filled", async () => {
  transport().on(updateNetwork, () => {
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

it("is filled again after a second factor that ended while someone typed, once", async () => {
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

it("has the browser ask before the tab is closed, only while there is something to lose", async () => {
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
