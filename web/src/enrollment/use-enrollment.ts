import { createEnrollmentCode, type HostV2 } from "@lightkeeper/contract";
import { useEffect, useRef } from "react";
import { invalidateNoun, useWrite } from "../lib/query.ts";
import { dropCode, keepCode, useKeptCode, type KeptCode } from "./kept-codes.ts";

export interface Enrollment {
  kept: KeptCode | undefined;
  /** Makes a code, which voids the one before. */
  make: () => void;
  isMaking: boolean;
  error: Error | null;
}

/** A host's code, made without asking where nothing can be lost by it: for a host that never had keys. */
export function useEnrollment(host: HostV2): Enrollment {
  const kept = useKeptCode(host.id);
  const { mutate, isPending, error } = useWrite(createEnrollmentCode, {
    onSuccess: ({ code, lifetimeSeconds }) =>
      keepCode(host.id, {
        code,
        expiresAt: Date.now() + lifetimeSeconds * 1000,
        enrolledBefore: host.metadata.enrolledAt,
      }),
    // It may have been blocked or deleted meanwhile, and then there is something else to show.
    onError: () => invalidateNoun("hosts"),
  });
  const wasStarted = useRef(false);
  const make = () => {
    wasStarted.current = true;
    mutate({ params: { hostID: host.id } });
  };

  // Once, however often the effect runs: a second code would void the first.
  const isFree = !kept && !host.isBlocked && host.metadata.enrolledAt === null;
  useEffect(() => {
    if (isFree && !wasStarted.current) make();
  });

  return { kept, make, isMaking: isPending, error };
}

/** Calls back, once, when the host has enrolled since its code was made. */
export function useEnrolled(host: HostV2, kept: KeptCode | undefined, onEnrolled: () => void): void {
  const hasEnrolled =
    kept !== undefined && !host.isBlocked && host.metadata.enrolledAt !== kept.enrolledBefore;
  const isDone = useRef(false);
  useEffect(() => {
    if (!hasEnrolled || isDone.current) return;
    isDone.current = true;
    dropCode(host.id);
    onEnrolled();
  });
}
