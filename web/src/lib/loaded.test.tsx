import { deleteRole, getRole } from "@lightkeeper/contract";
import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { role } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { Loaded } from "./loaded.tsx";
import { invalidateNoun, useRead, useWrite } from "./query.ts";

beforeEach(signIn);

const params = { roleID: role.id };

function RolePage() {
  const query = useRead(getRole, { params });
  const { mutate } = useWrite(deleteRole);
  return (
    <Loaded query={query} title="Role" crumbs={[]}>
      {({ name }) => <button onClick={() => mutate({ params })}>Delete {name}</button>}
    </Loaded>
  );
}

const gone = () => {
  throw failure("ERR_NOT_FOUND");
};

it("shows the 404 page for an item that someone else deleted", async () => {
  const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const api = transport().on(getRole, () => role);
  renderPage(<RolePage />);
  await screen.findByRole("button");
  api.on(getRole, gone);
  await act(() => invalidateNoun("roles"));
  expect(await screen.findByText("The page failed")).toBeDefined();
  noise.mockRestore();
});

it("stays while the item is being deleted here, even if the change event arrives first", async () => {
  const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((done) => (answer = done));
  const api = transport()
    .on(getRole, () => role)
    .on(deleteRole, async () => {
      await answered;
      return {};
    });
  const { user } = renderPage(<RolePage />);
  await user.click(await screen.findByRole("button", { name: "Delete Web" }));
  await waitFor(() => expect(api.calls(deleteRole)).toHaveLength(1));
  api.on(getRole, gone);
  await act(() => invalidateNoun("roles"));
  await waitFor(() => expect(api.calls(getRole).length).toBeGreaterThan(1));
  expect(screen.getByRole("button", { name: "Delete Web" })).toBeDefined();
  answer();
  expect(await screen.findByText("The page failed")).toBeDefined();
  noise.mockRestore();
});
