import { expect, it } from "vitest";
import { matrix } from "../testing/access.ts";
import { createMatrixModel } from "./matrix-model.ts";

it.each([
  ["192.168.4.0/24", "192.168.4.1"],
  ["192.168.4.6/31", "192.168.4.6"],
  ["192.168.4.7/32", "192.168.4.7"],
  ["fd00:4::/64", "fd00:4::1"],
  ["fd00:4::6/127", "fd00:4::6"],
  ["fd00:4::7/128", "fd00:4::7"],
])("checks the access to %s with its first host address, %s", (cidr, address) => {
  const { columns } = createMatrixModel({ ...matrix, subnets: [{ cidr, except: [] }] });
  expect(columns.at(-1)).toMatchObject({ title: cidr, address });
});
