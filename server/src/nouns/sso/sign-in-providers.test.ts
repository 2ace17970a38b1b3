import { deleteOidcProvider, getOidcProvider, logInWithTotp, startOidc } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { logInByLink } from "../../testing/logins.ts";
import { startProvider, type TestProvider } from "../../testing/oidc-provider.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { MINUTE_MS, startTestServer } from "../../testing/server.ts";
import {
  ada,
  configure,
  owner,
  provider,
  server,
  signIn,
  start,
  useSignIn,
  verify,
} from "../../testing/sign-in-fixture.ts";

useSignIn();

describe("a provider", () => {
  it("that was changed rejects sign-ins that started before [S8.10]", async () => {
    await configure();
    const { oidcRequestToken, redirectURL } = await start();
    const location = await provider.signIn(redirectURL);
    const { id } = await configure({ clientID: "another" });
    expect(await errorCodesOf(verify(oidcRequestToken, location))).toEqual(["ERR_OIDC_PROVIDER_MISMATCH"]);
    expect((await owner.call(getOidcProvider))?.id).toBe(id);
  });

  it("that was deleted leaves single sign-on unconfigured [S8.9]", async () => {
    await configure();
    const { oidcRequestToken, redirectURL } = await start();
    const location = await provider.signIn(redirectURL);
    await owner.call(deleteOidcProvider);
    expect(await errorCodesOf(verify(oidcRequestToken, location))).toEqual(["ERR_OIDC_NOT_CONFIGURED"]);
    expect(await errorCodesOf(start())).toEqual(["ERR_OIDC_NOT_CONFIGURED"]);
  });

  it("whose rules change during a sign-in applies the new rules", async () => {
    await configure();
    let narrowed: Promise<unknown> | undefined;
    provider.intercept = ({ url }) => {
      if (url === "/me") narrowed ??= configure({ allowedDomains: ["example.org"] });
      return false;
    };
    const outcome = await outcomeOf(signIn(ada));
    await narrowed;
    expect(["done", "ERR_OIDC_NOT_ALLOWED"]).toContain(outcome);
    const [session] = await server.query<{ count: number }>(
      "select count(*)::integer as count from oidc_sessions where organization_id = $1",
      [owner.organizationID],
    );
    expect(session?.count).toBe(0);
  });

  it("that responds with nothing, too much, a redirect or invalid data is inaccessible [S8.13]", async () => {
    await configure();
    const { oidcRequestToken, redirectURL } = await start();
    const location = await provider.signIn(redirectURL);
    const intercepts: TestProvider["intercept"][] = [
      ({ socket }) => Boolean(socket.destroy()),
      (_request, response) => Boolean(response.writeHead(200).end(Buffer.alloc(1024 * 1024 + 1, " "))),
      (_request, response) => Boolean(response.writeHead(302, { location: provider.issuerURL }).end()),
      (_request, response) => Boolean(response.writeHead(500).end()),
      (_request, response) => Boolean(response.writeHead(200).end("<html>")),
    ];
    for (const intercept of intercepts) {
      provider.intercept = intercept;
      expect(await errorCodesOf(start())).toEqual(["ERR_OIDC_PROVIDER_INACCESSIBLE"]);
    }
    provider.intercept = intercepts[0];
    expect(await errorCodesOf(verify(oidcRequestToken, location))).toEqual([
      "ERR_OIDC_PROVIDER_INACCESSIBLE",
    ]);
  });

  it("that takes too long to respond is inaccessible", async () => {
    const impatient = await startTestServer({
      environment: { OIDC_ALLOWED_HOSTS: "127.0.0.1" },
      identityProviders: { timeoutMs: 20 },
    });
    try {
      const session = await impatient.signUp();
      await configure({}, session);
      const params = { orgID: session.organizationID };
      for (const intercept of [
        () => true,
        (_request, response) => response.writeHead(200).write("{"),
      ] satisfies TestProvider["intercept"][]) {
        provider.intercept = intercept;
        expect(await errorsOf(impatient.client()(startOidc, { params }))).toEqual([
          {
            code: "ERR_OIDC_PROVIDER_INACCESSIBLE",
            message: "127.0.0.1 did not respond within 0.02 seconds",
          },
        ]);
      }
    } finally {
      await impatient.close();
    }
  });

  it("that closes the connection is inaccessible, and the next sign-in works", async () => {
    await configure();
    for (const path of ["/token", "/jwks", "/me"]) {
      const { oidcRequestToken, redirectURL } = await start();
      const location = await provider.signIn(redirectURL);
      provider.intercept = ({ url, socket }) => url === path && Boolean(socket.destroy());
      expect([path, await errorCodesOf(verify(oidcRequestToken, location))]).toEqual([
        path,
        ["ERR_OIDC_PROVIDER_INACCESSIBLE"],
      ]);
      provider.intercept = undefined;
    }
    await signIn();
  });

  it("that is unavailable does not lock out the owner", async () => {
    const gone = await startProvider();
    await configure({ issuerURL: gone.issuerURL });
    await gone.close();
    expect(await errorCodesOf(start())).toEqual(["ERR_OIDC_PROVIDER_INACCESSIBLE"]);
    const sessionToken = await logInByLink(server, owner.email);
    server.advance(MINUTE_MS);
    const { authToken } = await server.client(sessionToken)(logInWithTotp, {
      body: { code: server.code(owner.totpSecret) },
    });
    await server.client(sessionToken, authToken)(deleteOidcProvider);
  });
});
