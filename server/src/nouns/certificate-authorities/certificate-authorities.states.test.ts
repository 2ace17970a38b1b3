import { caStates, listAuditLogs } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import {
  createCaInState,
  createHostWithCa,
  createRotatingNetwork,
  list,
  move,
  owner,
  server,
  stateOf,
  useCertificateAuthorities,
} from "../../testing/certificate-authorities-fixture.ts";
import { canChangeState } from "./certificate-authorities.states.ts";

useCertificateAuthorities();

type Shown = { state?: string; signingCAID?: string } | null;
const shown = (snapshot: Shown) => snapshot?.state ?? snapshot?.signingCAID;

describe("a CA", () => {
  const legal = new Set(["PENDING SIGNING", "PENDING RETIRED", "SIGNING TRUSTED", "TRUSTED RETIRED"]);
  const moves = caStates.flatMap((from) => caStates.map((to) => [from, to] as const));

  it.each(moves)("that is %s can become %s only in the order of the states", (from, to) => {
    expect(canChangeState(from, to)).toBe(legal.has(`${from} ${to}`));
  });

  const illegal = moves.filter(
    ([from, to]) => !legal.has(`${from} ${to}`) && `${from} ${to}` !== "SIGNING RETIRED",
  );
  it.each(illegal)("that is %s can't become %s", async (from, to) => {
    const id = await createCaInState(from);
    await expect(move(id, to)).rejects.toThrow(`${id} is ${from} and can't become ${to}`);
    expect(await stateOf(id)).toBe(from);
  });

  it("signs until another CA replaces it", async () => {
    const id = await createCaInState("SIGNING");
    await expect(move(id, "TRUSTED")).rejects.toThrow(`${id} signs for its network`);
    expect(await stateOf(id)).toBe("SIGNING");
  });

  it("starts to sign in the same step in which the previous CA becomes trusted only", async () => {
    const { networkID, signingCAID, pendingID } = await createRotatingNetwork();
    const [before] = await server.query<{ revision: string }>("select revision from networks where id = $1", [
      networkID,
    ]);
    await move(pendingID, "SIGNING");
    expect(await stateOf(signingCAID)).toBe("TRUSTED");
    expect(await stateOf(pendingID)).toBe("SIGNING");
    const [network] = await server.query<{ signing_ca_id: string; revision: string }>(
      "select signing_ca_id, revision from networks where id = $1",
      [networkID],
    );
    expect(network?.signing_ca_id).toBe(pendingID);
    expect(Number(network?.revision)).toBe(Number(before?.revision) + 1);

    const { data } = await owner.call(listAuditLogs, { query: { pageSize: 3 } });
    const seen = data.map(({ actor, target, event: { type, before, after } }) => [
      actor.type,
      target.type,
      target.id,
      type,
      shown(before as Shown),
      shown(after as Shown),
    ]);
    expect(seen.sort()).toEqual(
      [
        ["system", "ca", pendingID, "UPDATED", "PENDING", "SIGNING"],
        ["system", "ca", signingCAID, "UPDATED", "SIGNING", "TRUSTED"],
        ["system", "network", networkID, "SET_NETWORK_CA", signingCAID, pendingID],
      ].sort(),
    );
  });

  it("can be retired when it doesn't sign and no host has a certificate from it", async () => {
    for (const state of ["TRUSTED", "PENDING"] as const) {
      const id = await createCaInState(state);
      expect((await move(id, "RETIRED")).state).toBe("RETIRED");
    }
  });

  it("can't be retired while it signs", async () => {
    const id = await createCaInState("SIGNING");
    await expect(move(id, "RETIRED")).rejects.toMatchObject({ message: "ERR_HAS_DEPENDENTS" });
    expect(await stateOf(id)).toBe("SIGNING");
  });

  it("can't be retired while a host has a certificate from it", async () => {
    const { networkID, signingCAID, pendingID } = await createRotatingNetwork();
    await move(pendingID, "SIGNING");
    await createHostWithCa(networkID, signingCAID);
    await expect(move(signingCAID, "RETIRED")).rejects.toMatchObject({ message: "ERR_HAS_DEPENDENTS" });
    await server.query("update hosts set ca_id = $1 where ca_id = $2", [pendingID, signingCAID]);
    expect((await move(signingCAID, "RETIRED")).state).toBe("RETIRED");
  });

  it("isn't visible to another organization", async () => {
    const stranger = await server.signUp();
    const id = await createCaInState("PENDING");
    for (const to of caStates)
      await expect(move(id, to, stranger)).rejects.toMatchObject({ message: "ERR_NOT_FOUND" });
    expect(await stateOf(id)).toBe("PENDING");
  });
});

describe("two concurrent changes", () => {
  it("that start to sign leave exactly one CA that signs", async () => {
    for (let round = 0; round < 5; round++) {
      const { networkID, pendingID } = await createRotatingNetwork();
      const outcomes = await Promise.allSettled([move(pendingID, "SIGNING"), move(pendingID, "SIGNING")]);
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const signing = (await list({ "filter.networkID": networkID })).filter(
        ({ state }) => state === "SIGNING",
      );
      expect(signing.map(({ id }) => id)).toEqual([pendingID]);
    }
  });

  it("that make a CA sign and retire it leave the CA in one of the two states", async () => {
    for (let round = 0; round < 5; round++) {
      const { networkID, signingCAID, pendingID } = await createRotatingNetwork();
      const [charge, letGo] = await Promise.allSettled([
        move(pendingID, "SIGNING"),
        move(pendingID, "RETIRED"),
      ]);
      expect([charge.status, letGo.status].sort()).toEqual(["fulfilled", "rejected"]);
      const [network] = await server.query<{ signing_ca_id: string }>(
        "select signing_ca_id from networks where id = $1",
        [networkID],
      );
      expect(network?.signing_ca_id).toBe(charge.status === "fulfilled" ? pendingID : signingCAID);
    }
  });
});
