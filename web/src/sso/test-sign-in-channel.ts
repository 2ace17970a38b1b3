/** A test sign-in runs in a new tab, so that the form it tests keeps its values. The tabs share storage and a channel. */
import type { Output, verifyOidcTrial } from "@lightkeeper/contract";
import { useEffect, useState } from "react";

const STORAGE_KEY = "oidcTestSignIn";
const CHANNEL = "lightkeeper-oidc-test-sign-in";

interface TestSignIn {
  state: string;
  oidcRequestToken: string;
}

const stateIn = (address: string) => new URL(address).searchParams.get("state") ?? "";

export function rememberTestSignIn(oidcRequestToken: string, redirectURL: string): void {
  const testSignIn: TestSignIn = { state: stateIn(redirectURL), oidcRequestToken };
  localStorage.setItem(STORAGE_KEY, JSON.stringify(testSignIn));
}

/** The request token of the test sign-in that returns to this address, if there is one. */
export function testSignInAt(address: string): string | undefined {
  const testSignIn = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null") as TestSignIn | null;
  if (!testSignIn || testSignIn.state === "" || testSignIn.state !== stateIn(address)) return undefined;
  return testSignIn.oidcRequestToken;
}

export function clearTestSignIn(): void {
  localStorage.removeItem(STORAGE_KEY);
}

export type TestSignInResult = Output<typeof verifyOidcTrial>;

interface TestSignInReport {
  oidcRequestToken: string;
  result: TestSignInResult;
}

/** Sends the result to the tab whose form started the test sign-in. */
export function reportTestSignIn(report: TestSignInReport): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(report);
  channel.close();
}

/** The result of the test sign-in with this token, once its tab has reported it. */
export function useTestSignInResult(oidcRequestToken: string | undefined): TestSignInResult | undefined {
  const [report, setReport] = useState<TestSignInReport>();
  useEffect(() => {
    if (typeof BroadcastChannel === "undefined") return undefined;
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener("message", ({ data }: MessageEvent<TestSignInReport>) => setReport(data));
    return () => channel.close();
  }, []);
  return report?.oidcRequestToken === oidcRequestToken ? report?.result : undefined;
}
