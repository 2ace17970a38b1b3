import { createEnrollmentCode, type HostV2 } from "@lightkeeper/contract";
import { useEffect, useRef } from "react";
import { invalidateNoun, useWrite } from "../lib/query.ts";
import { removeCode, storeCode, useStoredCode, type StoredCode } from "./stored-codes.ts";

export interface Enrollment {
  storedCode: StoredCode | undefined;
  /** Creates a code and revokes the previous one. */
  createCode: () => void;
  isCreating: boolean;
  error: Error | null;
}

/** The enrollment code of a host. Created automatically if the host never enrolled: no keys can be lost. */
export function useEnrollment(host: HostV2): Enrollment {
  const storedCode = useStoredCode(host.id);
  const { mutate, isPending, error } = useWrite(createEnrollmentCode, {
    onSuccess: ({ code, lifetimeSeconds }) =>
      storeCode(host.id, {
        code,
        expiresAt: Date.now() + lifetimeSeconds * 1000,
        enrolledBefore: host.metadata.enrolledAt,
      }),
    // The host may have been blocked or deleted: reload it to show that.
    onError: () => invalidateNoun("hosts"),
  });
  const wasStarted = useRef(false);
  const createCode = () => {
    wasStarted.current = true;
    mutate({ params: { hostID: host.id } });
  };

  // Only once, even if the effect runs again: a second code would revoke the first.
  const canCreateCode = !storedCode && !host.isBlocked && host.metadata.enrolledAt === null;
  useEffect(() => {
    if (canCreateCode && !wasStarted.current) createCode();
  });

  return { storedCode, createCode, isCreating: isPending, error };
}

/** Calls `onEnrolled` once when the host has used its code. */
export function useOnEnrolled(
  host: HostV2,
  storedCode: StoredCode | undefined,
  onEnrolled: () => void,
): void {
  const hasEnrolled =
    storedCode !== undefined && !host.isBlocked && host.metadata.enrolledAt !== storedCode.enrolledBefore;
  const isDone = useRef(false);
  useEffect(() => {
    if (!hasEnrolled || isDone.current) return;
    isDone.current = true;
    removeCode(host.id);
    onEnrolled();
  });
}
