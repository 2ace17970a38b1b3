export function buildAgent(directory?: string): Promise<{ file: string; version: string }>;
export type BuiltAgent = Awaited<ReturnType<typeof buildAgent>>;
