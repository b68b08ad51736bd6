/** What is installed where no supported CLI is found: the version that the Go modules beside this file build. */
export const engineVersion = "3.255.0";

/** In words, for messages; `isSupportedPulumi` is the rule. */
export const supportedVersions = "3.200.0 or newer, below 4";
