/** The server announces changes of roles, tags, hosts and routes also as changes of hosts and guarantees. */
import {
  checkAccess,
  getAccessMatrix,
  getHostV2,
  listGuarantees,
  listHostsV2,
  listNetworksV2,
  listRoles,
  listTags,
  streamEvents,
  whoami,
  type Change,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { AccessPage } from "../access/access-page.tsx";
import { MatrixPage } from "../access/matrix-page.tsx";
import { GuaranteesPage } from "../guarantees/guarantees-page.tsx";
import { allowed, db, denied, matrix, web } from "../testing/access.ts";
import { ciRunner, database, failingGuarantee, guarantee } from "../testing/guarantee-samples.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { enrolledHost, network, role, tag, user } from "../testing/samples.ts";
import { page, transport, type Transport } from "../testing/transport.ts";
import { Live } from "./live.tsx";

vi.setConfig({ testTimeout: 60_000 });
const SOON = { timeout: 10_000 };

let server: Transport;
let announce: (change: Change) => void;
beforeEach(signIn);

function open(at: string) {
  const hosts = [web, db].map(({ id, name }) => ({ ...enrolledHost, id, name }));
  server = transport()
    .on(whoami, () => user)
    .on(listNetworksV2, () => page([network]))
    .on(listRoles, () => page([role, ciRunner, database]))
    .on(listTags, () => page([tag]))
    .on(listHostsV2, () => page(hosts))
    .on(getHostV2, ({ params }) => hosts.find(({ id }) => id === params.hostID)!)
    .on(listGuarantees, () => page([guarantee]))
    .on(checkAccess, () => allowed)
    .on(getAccessMatrix, () => matrix)
    .on(streamEvents, () => {
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        announce = (change) =>
          controller.enqueue(new TextEncoder().encode(`event: change\ndata: ${JSON.stringify(change)}\n\n`));
      };
      return new Response(new ReadableStream<Uint8Array>({ start }));
    });
  const children = [
    { path: "/guarantees", element: <GuaranteesPage /> },
    { path: "/access", element: <AccessPage /> },
    { path: "/access/matrix", element: <MatrixPage /> },
  ];
  return renderRoutes([{ Component: Live, children }], at);
}

it("an open list of guarantees shows that one fails", async () => {
  open("/guarantees");
  expect(await screen.findByText("Holds")).toBeDefined();
  server.on(listGuarantees, () => page([failingGuarantee]));
  announce({ noun: "guarantees" });
  expect(await screen.findByText(/^Failing for /, {}, SOON)).toBeDefined();
});

it("an open answer about access is updated", async () => {
  open(`/access?source=${web.id}&destination=${db.id}&protocol=TCP&port=5432`);
  expect(await screen.findAllByRole("region", { name: /: allowed$/i })).toHaveLength(2);
  server.on(checkAccess, () => denied);
  announce({ noun: "hosts" });
  expect(await screen.findAllByRole("region", { name: /: denied$/i }, SOON)).toHaveLength(2);
});

it("an open matrix is updated", async () => {
  open("/access/matrix");
  const grid = within(await screen.findByRole("grid"));
  expect(grid.queryByRole("gridcell", { name: /^Web to Web: denied$/ })).not.toBeNull();
  const [cell] = matrix.cells;
  const opened = { ...cell!, source: 0, destination: 0, isPartial: false };
  server.on(getAccessMatrix, () => ({ ...matrix, cells: [opened, ...matrix.cells] }));
  announce({ noun: "hosts" });
  expect(await grid.findByRole("gridcell", { name: /^Web to Web: (?!denied)/ }, SOON)).toBeDefined();
});
