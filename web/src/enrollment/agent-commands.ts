/** The commands that install and enroll the agent on a host. */

// A code may start with a dash: after a space it would be parsed as another option.
const codeOption = (code: string) => (code.startsWith("-") ? `--code=${code}` : `--code ${code}`);

/** Installs the agent and enrolls the host. The console's origin is also the address that agents call. */
export const installCommand = (code: string, origin: string = location.origin): string =>
  `curl -fsSL ${origin}/install.sh | sudo sh -s -- ${codeOption(code)}`;

export interface EnrollCommand {
  /** The host is already enrolled: replace its keys. */
  isAgain?: boolean;
  origin?: string;
}

/** Enrolls a host whose agent is already installed. */
export const enrollCommand = (
  code: string,
  { isAgain = false, origin = location.origin }: EnrollCommand = {},
): string =>
  `sudo lightkeeper-agent enroll --server ${origin} ${codeOption(code)}${isAgain ? " --force" : ""}`;
