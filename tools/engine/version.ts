/** What is installed where no supported CLI is found: the version that the Go modules beside this file build. */
export const engineVersion = "3.255.0";

/** In words, for messages; `isSupported` is the rule. */
export const supportedVersions = "3.200.0 or newer, below 4";

/** Takes what `pulumi version` prints. A pre-release of 3.200.0 or of 4.0.0 is neither of them. */
export function isSupported(printed: string): boolean {
  const version = /^v?(\d+)\.(\d+)\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/.exec(printed.trim());
  if (!version) {
    return false;
  }
  const [major, minor] = [Number(version[1]), Number(version[2])];
  return major === 3 && minor >= 200;
}
