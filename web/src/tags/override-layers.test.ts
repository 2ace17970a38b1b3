import { expect, it } from "vitest";
import { effectiveOverrides, conflictingTags } from "./override-layers.ts";

const mtu = (value: number) => [{ key: "tun.mtu", value }];
const low = { name: "low:1", configOverrides: mtu(1400) };
const high = { name: "high:1", configOverrides: [...mtu(1500), { key: "routines", value: 2 }] };

it("prefers the host over its tags, and a tag with higher priority over a lower one", () => {
  expect(effectiveOverrides([high, low], mtu(9000))).toEqual([
    { key: "routines", tag: "high:1", value: 2, overridden: [] },
    {
      key: "tun.mtu",
      tag: undefined,
      value: 9000,
      overridden: [
        { tag: "high:1", value: 1500 },
        { tag: "low:1", value: 1400 },
      ],
    },
  ]);
  expect(effectiveOverrides([high, low], [])[1]).toMatchObject({ tag: "high:1", value: 1500 });
});

it("finds the tags that win over a tag and those that lose", () => {
  expect(conflictingTags([high, low], "low:1", "tun.mtu")).toEqual({
    lower: [],
    higher: [{ tag: "high:1", value: 1500 }],
  });
  expect(conflictingTags([high, low], "high:1", "tun.mtu")).toEqual({
    lower: [{ tag: "low:1", value: 1400 }],
    higher: [],
  });
  expect(conflictingTags([high, low], undefined, "tun.mtu")).toMatchObject({ higher: [] });
  expect(conflictingTags([high, low], undefined, "tun.mtu").lower).toHaveLength(2);
  expect(conflictingTags([high, low], "low:1", "routines").higher).toHaveLength(1);
});
