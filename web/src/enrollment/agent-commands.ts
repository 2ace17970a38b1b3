/** What is typed on a host to bring it into its network. */

// A code may begin with a dash, which on its own would read as the next option.
const codeOption = (code: string) => (code.startsWith("-") ? `--code=${code}` : `--code ${code}`);

/** Installs the agent and enrolls. The console is served from the address that the agents call. */
export const installCommand = (code: string, origin: string = location.origin): string =>
  `curl -fsSL ${origin}/install.sh | sudo sh -s -- ${codeOption(code)}`;

export interface EnrollCommand {
  /** The host has keys already: it is told to give them up. */
  isAgain?: boolean;
  origin?: string;
}

/** Enrolls with an agent that is there already. */
export const enrollCommand = (
  code: string,
  { isAgain = false, origin = location.origin }: EnrollCommand = {},
): string =>
  `sudo lightkeeper-agent enroll --server ${origin} ${codeOption(code)}${isAgain ? " --force" : ""}`;
