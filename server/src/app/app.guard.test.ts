/** Compares the served API with the contract. A new endpoint fails here until it is complete. */
import { codesOf, errorCatalog, type ErrorCode, requiredRoleOf, scopes } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { openApiDocument } from "@lightkeeper/contract/openapi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertApiKey } from "../testing/api-keys.ts";
import { endpointNamed, prepare, type ReceivedResponse, send } from "../testing/requests.ts";
import { insertSsoUser } from "../testing/sso-users.ts";
import { type Session, startTestServer, type TestServer } from "../testing/server.ts";

let server: TestServer;
beforeAll(async () => {
  // Its owner creates a host for every request that needs a host.
  server = await startTestServer({ environment: { FREE_PLAN_HOST_LIMIT: "1000" } });
});
afterAll(() => server.close());

const names = [...endpoints.keys()];

/** Every path of the router. */
function servedPaths(): string[] {
  const ancestors: string[] = [];
  const lines = server.app.http.printRoutes({ commonPrefix: false }).split("\n");
  return lines.flatMap((line) => {
    const [, indentation = "", part] = /^(.*?)[├└]── (\S*) \(/.exec(line) ?? [];
    if (part === undefined) return [];
    const depth = indentation.length / 4;
    ancestors.splice(depth, Infinity, part);
    return [ancestors.join("").replace(/:\w+(\|:\w+)*/g, "{}")];
  });
}

describe("the server", () => {
  it("serves every endpoint of the contract", () => {
    const served = new Set(server.app.served.keys());
    expect(names.filter((name) => !served.has(endpointNamed(name)))).toEqual([]);
    expect(served.size).toBe(endpoints.size);
  });

  it("serves nothing else except pages and probes that aren't endpoints", () => {
    const ofContract = names.map((name) => endpointNamed(name).path.replace(/\{\w+\}/g, "{}"));
    const others = [
      "/metrics",
      "/healthz",
      "/readyz",
      "/v",
      "/openapi.json",
      "/docs",
      "/docs*",
      "/downloads/files/{}",
      "/install.sh",
      "/dev/mail",
      "/dev/mail.css",
    ];
    expect(servedPaths().sort()).toEqual([...new Set([...ofContract, ...others])].sort());
  });

  it("has no two endpoints with the same method and path", () => {
    const lines = names.map(
      (name) => `${endpointNamed(name).method} ${endpointNamed(name).path.replace(/\{\w+\}/g, "{}")}`,
    );
    expect(new Set(lines).size).toBe(lines.length);
  });
});

describe("the error codes of the catalog", () => {
  /** Not declared by endpoints: they are returned before an endpoint is found, or by any endpoint. */
  const ofTheServer: ErrorCode[] = ["ERR_METHOD_NOT_ALLOWED", "ERR_TIMEOUT"];

  it("are each declared by an endpoint", () => {
    const declared = new Set<string>(names.flatMap((name) => codesOf(endpointNamed(name))));
    const undeclared = Object.keys(errorCatalog).filter((code) => !declared.has(code));
    expect(undeclared.sort()).toEqual([...ofTheServer].sort());
  });
});

type Who =
  | "no session"
  | "invalid tokens"
  | "a session without a second factor"
  | "another organization"
  | "a key without scopes"
  | "a key with every scope"
  | "a single sign-on user"
  | "an auditor"
  | "its owner";

/** Endpoints whose sample bodies refer to an object of the owner. */
const hasReferencesInBody = new Set([
  "checkAccess",
  "createHost",
  "createHostV2",
  "createHostAndEnrollmentCode",
  "createHostAndEnrollmentCodeV2",
  "createNotificationRule",
]);

function expected(name: string, who: Who): ReceivedResponse {
  const { access, path } = endpointNamed(name);
  const ok = { status: 200, codes: [] };
  const rejected = (status: number, code: ErrorCode) => ({ status, codes: [code] });
  // Only Stripe sends it, and Stripe isn't configured here.
  if (name === "receiveBillingEvent") return rejected(404, "ERR_NOT_FOUND");
  if (name === "startOidc" || name === "startEndpointSignIn") return rejected(400, "ERR_OIDC_NOT_CONFIGURED");
  if (name === "verifyOidc" || name === "verifyEndpointSignIn")
    return rejected(400, "ERR_INVALID_OIDC_REQUEST_TOKEN");
  if (access.kind === "public" || access.kind === "agent") return ok;
  if (who === "no session" || who === "invalid tokens") return rejected(401, "ERR_UNAUTHORIZED");
  if (who === "a session without a second factor") {
    // The owner has an authenticator already, so another authenticator needs the second factor.
    const further = name === "createTotpAuthenticator" || name === "verifyTotpAuthenticator";
    const enough = ["presentedTokens", "anyone", "userToken"].includes(access.kind) && !further;
    return enough ? ok : rejected(401, "ERR_2FA_REQUIRED");
  }
  if (who === "a key without scopes" || who === "a key with every scope") {
    if (access.kind === "anyone") return ok;
    if (access.kind === "userToken" || access.kind === "presentedTokens")
      return rejected(401, "ERR_UNAUTHORIZED");
    if (access.kind !== "scope" || who === "a key without scopes") return rejected(403, "ERR_FORBIDDEN");
  }
  if (who === "a single sign-on user") {
    if (access.kind === "userToken") return rejected(401, "ERR_UNAUTHORIZED");
    if (access.kind === "user") return rejected(403, "ERR_FORBIDDEN");
  }
  if (who === "an auditor" && requiredRoleOf(endpointNamed(name)) !== "auditor")
    return rejected(403, "ERR_FORBIDDEN");
  if (who === "another organization") {
    if (path.includes("{")) return rejected(404, "ERR_NOT_FOUND");
    if (name === "logInWithTotp") return rejected(400, "ERR_INVALID_TOTP_CODE");
    if (name === "logInWithRecoveryCode") return rejected(400, "ERR_INVALID_RECOVERY_CODE");
    if (name === "verifyTotpAuthenticator") return rejected(400, "ERR_INVALID_TOTP_TOKEN");
    if (hasReferencesInBody.has(name)) return rejected(400, "ERR_INVALID_REFERENCE");
    if (name === "applyImport") return rejected(400, "ERR_INVALID_VALUE");
    if (name === "deleteOidcProvider") return rejected(400, "ERR_OIDC_NOT_CONFIGURED");
    if (name === "downgradePlan") return rejected(400, "ERR_BILLING_INVALID_STATE");
    // The caller is the only owner of the other organization.
    if (name === "leaveOrganization") return rejected(400, "ERR_INVALID_VALUE");
  }
  // The built-in billing provider has no portal.
  if (name === "openBillingPortal") return rejected(400, "ERR_BILLING_INVALID_STATE");
  if (name === "testOidcProvider") return rejected(400, "ERR_OIDC_PROVIDER_INACCESSIBLE");
  if (name === "verifyDomain") return rejected(400, "ERR_DNS_LOOKUP_FAILED");
  if (name === "verifyOidcTrial") return rejected(400, "ERR_INVALID_OIDC_REQUEST_TOKEN");
  if (name === "runHostCommand") return rejected(400, "ERR_HOST_NOT_ENROLLED");
  return ok;
}

describe("for every kind of caller", () => {
  const cases: Who[] = [
    "no session",
    "invalid tokens",
    "a session without a second factor",
    "another organization",
    "a key without scopes",
    "a key with every scope",
    "a single sign-on user",
    "an auditor",
    "its owner",
  ];
  // These calls use up a limit, such as five mails per address, or end the caller's session or account.
  const needsNewSessions = new Set([
    "signOut",
    "deleteOrganization",
    "sendMagicLink",
    "verifyMagicLink",
    "deleteTotpAuthenticator",
    "updateOidcProvider",
    "revokeSession",
    "logInWithTotp",
    "logInWithRecoveryCode",
    "leaveOrganization",
    // An organization may send 50 invitations in 15 minutes.
    "listInvitationsByLink",
    "acceptInvitation",
    "declineInvitationByLink",
    "createOwnOrganization",
    "revokeSessions",
    // A downgrade requires an upgrade first.
    "confirmCheckout",
  ]);
  let shared: { owner: Session; stranger: Session };
  beforeAll(async () => {
    shared = { owner: await server.signUp(), stranger: await server.signUp() };
    // Allows the hosts of every case.
    await server.query("update organizations set plan = 'pro' where id = $1", [shared.owner.organizationID]);
  });

  const tokensOf = async (who: Who, { owner, stranger }: typeof shared): Promise<string[]> => {
    if (who === "a key without scopes") return [(await insertApiKey(server, owner, [])).token];
    if (who === "a key with every scope") return [(await insertApiKey(server, owner, [...scopes])).token];
    if (who === "no session") return [];
    if (who === "invalid tokens") return ["invalid", "invalid"];
    if (who === "a session without a second factor") return [owner.userToken];
    if (who === "a single sign-on user") return [await insertSsoUser(server, owner)];
    const { userToken, authToken } = who === "another organization" ? stranger : owner;
    return [userToken, authToken];
  };

  it.each(names)("%s returns the expected status and error codes [S7.1]", async (name) => {
    let people = shared;
    let sample: Awaited<ReturnType<typeof prepare>> | undefined;
    for (const who of cases) {
      if (needsNewSessions.has(name)) {
        people = {
          owner: await server.signUp(),
          stranger: who === "another organization" ? await server.signUp() : shared.stranger,
        };
        sample = undefined;
      }
      // A call that was rejected has changed nothing, so the next caller can use the same objects.
      sample ??= await prepare(name, server, people.owner);
      const tokens = await tokensOf(who, people);
      const setRole = (role: string) =>
        server.query("update users set role = $1 where id = $2", [role, people.owner.userID]);
      if (who === "an auditor") await setRole("auditor");
      const received = await send(server, name, sample, tokens);
      if (who === "an auditor") await setRole("owner");
      expect([who, received]).toEqual([who, expected(name, who)]);
      if (received.status === 200) sample = undefined;
    }
  });
});

describe("the API reference", () => {
  const methods = names.map((name) => ({ name, ...endpointNamed(name) }));

  it("is OpenAPI 3.1 at /openapi.json, with every operation complete", async () => {
    const response = await fetch(`${server.url}/openapi.json`);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const document = (await response.json()) as ReturnType<typeof openApiDocument>;
    expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
    expect(document.openapi).toBe("3.1.0");
    for (const { name, method, path, body } of methods) {
      const operation = document.paths[path]?.[method.toLowerCase()];
      expect(operation).toMatchObject({ operationId: name, responses: { "200": { description: "OK" } } });
      expect(Boolean(operation?.requestBody)).toBe(body !== undefined);
      const parameters = (operation?.parameters ?? []) as { name: string; in: string }[];
      const inPath = parameters.filter((one) => one.in === "path");
      expect(inPath.map((parameter) => `{${parameter.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(Object.keys(operation?.responses as object)).toContain("500");
    }
    const references = JSON.stringify(document).match(/"\$ref":"[^"]*"/g) ?? [];
    const schemas = Object.keys((document.components as { schemas: object }).schemas);
    const known = schemas.map((name) => `"$ref":"#/components/schemas/${name}"`);
    expect([...new Set(references)].sort()).toEqual(known.sort());
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(endpoints.size);
    expect(operations).toHaveLength(endpoints.size);
  });
});
