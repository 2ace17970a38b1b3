/** Email domains that assign devices to an organization. */
import {
  addDomain,
  listDomains,
  listHostsV2,
  removeDomain,
  startEndpointSignIn,
  startOidc,
  verifyDomain,
  verifyEndpointSignIn,
} from "@lightkeeper/contract";
import { beforeEach, describe, expect, it } from "vitest";
import { createFleet } from "../fleet.ts";
import { type TestProvider } from "../oidc-provider.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../request-errors.ts";
import { insertSsoUser } from "../sso-users.ts";
import { HOUR_MS, type Session, startTestServer, type TestServer } from "../server.ts";
import { deviceEnvironment, useDeviceEnrollment } from "../device-enrollment.ts";

const { dns, state, configure, ada, anonymous, preauth, start, eventsOf } = useDeviceEnrollment();
let server: TestServer;
let provider: TestProvider;
let owner: Session;
let domain: string;
beforeEach(() => void ({ server, provider, owner, domain } = state));

describe("a domain", () => {
  const NOT_ROUTED = [{ code: "ERR_INVALID_VALUE", path: "organization" }];

  it("routes devices only after it is verified, while the organization ID always works", async () => {
    const { loginToken } = await preauth();
    await start(loginToken, owner.organizationID);
    expect(await errorsOf(start(loginToken, `ada@${domain}`))).toMatchObject(NOT_ROUTED);
    const added = await owner.call(addDomain, { body: { domain } });
    expect(added).toMatchObject({
      state: "pending",
      record: { type: "TXT", name: `_lightkeeper.${domain}` },
    });
    expect(added.record?.value).toMatch(/^lightkeeper-verification=[\w-]{43}$/);
    expect(await errorsOf(start(loginToken, domain))).toMatchObject(NOT_ROUTED);
    expect(await errorCodesOf(owner.call(verifyDomain, { params: { domain } }))).toEqual([
      "ERR_DOMAIN_RECORD_NOT_FOUND",
    ]);
    dns.publish(added);
    expect(await owner.call(verifyDomain, { params: { domain } })).toMatchObject({ state: "verified" });
    await start(loginToken, `Ada@${domain.toUpperCase()}`);
    await start(loginToken, domain);
    expect(await errorsOf(start(loginToken, `sub.${domain}`))).toMatchObject(NOT_ROUTED);

    await owner.call(removeDomain, { params: { domain } });
    expect(await errorsOf(start(loginToken, domain))).toMatchObject(NOT_ROUTED);
    expect(await eventsOf(domain)).toEqual(["user DELETED", "user UPDATED", "user CREATED"]);
  });

  it("redirects people to their organization's single sign-on only after it is verified", async () => {
    const startAt = (orgID: string) => anonymous()(startOidc, { params: { orgID } });
    expect(await errorsOf(startAt(domain))).toMatchObject(NOT_ROUTED);
    await dns.verify(owner, domain);
    for (const named of [domain, `Ada@${domain.toUpperCase()}`, owner.organizationID])
      expect((await startAt(named)).organizationID).toBe(owner.organizationID);
    expect(await errorsOf(startAt("elsewhere.example"))).toMatchObject(NOT_ROUTED);
  });

  it("cannot be claimed with allowed domains alone, whichever organization sets them", async () => {
    const attacker = await server.signUp();
    await configure({ allowedDomains: [domain] }, attacker, await createFleet(server, attacker));
    const { loginToken } = await preauth();
    expect(await errorsOf(start(loginToken, domain))).toMatchObject(NOT_ROUTED);
    await dns.verify(owner, domain);
    const { redirectURL, oidcRequestToken } = await start(loginToken, domain);
    const location = await provider.signIn(redirectURL, ada());
    await anonymous()(verifyEndpointSignIn, { body: { oidcRequestToken, location } });
    expect((await attacker.call(listHostsV2)).data).toEqual([]);
    expect((await owner.call(listHostsV2)).data).toHaveLength(1);
  });

  it("belongs to one organization: if two verify it at the same time, only one of them succeeds", async () => {
    const other = await server.signUp();
    for (const session of [owner, other]) dns.publish(await session.call(addDomain, { body: { domain } }));
    const outcomes = await Promise.all(
      [owner, other].map((session) => outcomeOf(session.call(verifyDomain, { params: { domain } }))),
    );
    expect(outcomes.sort()).toEqual(["ERR_DOMAIN_TAKEN", "done"]);
    const states = await Promise.all([owner, other].map((session) => session.call(listDomains)));
    expect(
      states
        .flat()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(["pending", "verified"]);
    const [verified, pending] = states[0]?.[0]?.state === "verified" ? [owner, other] : [other, owner];
    await verified.call(removeDomain, { params: { domain } });
    await pending.call(verifyDomain, { params: { domain } });
  });

  it("is verified once, even if its owner requests it several times in parallel", async () => {
    dns.publish(await owner.call(addDomain, { body: { domain } }));
    const calls = [1, 2, 3].map(() => outcomeOf(owner.call(verifyDomain, { params: { domain } })));
    expect(await Promise.all(calls)).toEqual(["done", "done", "done"]);
    expect(await eventsOf(domain)).toEqual(["user UPDATED", "user CREATED"]);
  });

  it("of another organization is not disclosed without publishing its DNS record", async () => {
    await dns.verify(owner, domain);
    const other = await server.signUp();
    expect(await other.call(addDomain, { body: { domain } })).toMatchObject({ state: "pending" });
    expect(await errorCodesOf(other.call(verifyDomain, { params: { domain } }))).toEqual([
      "ERR_DOMAIN_RECORD_NOT_FOUND",
    ]);
  });

  it("is not verified with another organization's record, nor when DNS fails", async () => {
    const other = await server.signUp();
    dns.publish(await other.call(addDomain, { body: { domain } }));
    await owner.call(addDomain, { body: { domain } });
    expect(await errorCodesOf(owner.call(verifyDomain, { params: { domain } }))).toEqual([
      "ERR_DOMAIN_RECORD_NOT_FOUND",
    ]);
    dns.failure = "ESERVFAIL";
    expect(await errorsOf(other.call(verifyDomain, { params: { domain } }))).toEqual([
      {
        code: "ERR_DNS_LOOKUP_FAILED",
        message: `the DNS lookup of _lightkeeper.${domain} failed (ESERVFAIL)`,
      },
    ]);
    dns.failure = undefined;
    await other.call(verifyDomain, { params: { domain } });
  });

  it("is rejected if it is invalid, already listed, or exceeds the limit", async () => {
    for (const wrong of ["example", "exa mple.com", "-a.com", "a..com", "*.com", "a@b.com", "ü.example"])
      expect(await errorsOf(owner.call(addDomain, { body: { domain: wrong } }))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "domain" },
      ]);
    await owner.call(addDomain, { body: { domain: ` ${domain.toUpperCase()} ` } });
    expect(await errorCodesOf(owner.call(addDomain, { body: { domain } }))).toEqual(["ERR_DUPLICATE_VALUE"]);
    await server.query(
      `insert into organization_domains (organization_id, domain, token, created_at)
        select $1, n || '.' || $2, 'token', now() from generate_series(1, 49) n`,
      [owner.organizationID, domain],
    );
    expect(await errorsOf(owner.call(addDomain, { body: { domain: `more.${domain}` } }))).toMatchObject([
      { code: "ERR_LIMIT_EXCEEDED", extra: { limit: 50 } },
    ]);
  });

  it("is changed only by an owner with a recent second factor", async () => {
    await owner.call(addDomain, { body: { domain } });
    const sso = server.client(await insertSsoUser(server, owner));
    expect(await sso(listDomains)).toHaveLength(1);
    const attempts = (call: Session["call"]) => [
      () => call(addDomain, { body: { domain: `other.${domain}` } }),
      () => call(verifyDomain, { params: { domain } }),
      () => call(removeDomain, { params: { domain } }),
    ];
    for (const attempt of attempts(sso)) expect(await errorCodesOf(attempt())).toEqual(["ERR_FORBIDDEN"]);
    const outsider = await server.signUp();
    for (const attempt of attempts(outsider.call).slice(1))
      expect(await errorCodesOf(attempt())).toEqual(["ERR_NOT_FOUND"]);
    server.advance(HOUR_MS + 1000);
    for (const attempt of attempts(owner.call))
      expect(await errorCodesOf(attempt())).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
  });

  it("can be assigned by the server's configuration, which takes precedence over DNS", async () => {
    const other = await server.signUp();
    await dns.verify(other, domain);
    const pairs = `${domain}=${owner.organizationID}, corp.local=${owner.organizationID}`;
    const configured = await startTestServer({
      environment: { ...deviceEnvironment, TRUSTED_DOMAINS: pairs },
      database: server.database,
      resolveTxt: dns.resolveTxt,
    });
    try {
      const call = configured.client(owner.userToken, owner.authToken);
      expect((await call(listDomains)).map((one) => [one.domain, one.state, one.record])).toEqual([
        [domain, "verified", null],
        ["corp.local", "verified", null],
      ]);
      const theirs = configured.client(other.userToken, other.authToken);
      expect(await theirs(listDomains)).toMatchObject([{ domain, state: "takenElsewhere" }]);
      const { loginToken } = await preauth();
      for (const organization of [domain, "ada@Corp.Local"]) {
        const { redirectURL } = await configured.client()(startEndpointSignIn, {
          body: { loginToken, organization },
        });
        expect(redirectURL.startsWith(provider.issuerURL)).toBe(true);
      }
      await theirs(removeDomain, { params: { domain } });
      dns.publish(await theirs(addDomain, { body: { domain } }));
      expect(await errorCodesOf(theirs(verifyDomain, { params: { domain } }))).toEqual(["ERR_DOMAIN_TAKEN"]);
    } finally {
      await configured.close();
    }
  });
});
