export function nebulaBinaries(): Promise<{ version: string; nebula: string; nebulaCert: string }[]>;
export type NebulaBinaries = Awaited<ReturnType<typeof nebulaBinaries>>[number];
