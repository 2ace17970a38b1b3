export function buildIfChanged(options: {
  directory: string;
  bundle: string;
  files: string[];
  tools: string;
  build: () => Promise<unknown>;
  isForced?: boolean;
}): Promise<void>;
