import { readSettings } from "../../provider/core/readSettings";
import { newSession } from "../../provider/pulumi/session";
import type { Session } from "../../provider/resources/lifecycle";

/** What a lifecycle needs of a provider process, without the engine: each is a run of its own. Warnings are kept, not printed. */
export function newRun(
  baseUrl: string,
  accessToken: string,
  more: Readonly<Record<string, unknown>> = {},
): Session & { warnings: string[] } {
  const config: Record<string, unknown> = { baseUrl, accessToken, ...more };
  const read = readSettings({ get: (key) => config[key], env: {}, readApproved: () => "" });
  if ("problems" in read) throw new Error(read.problems.map(({ text }) => text).join("\n"));
  const warnings: string[] = [];
  return { ...newSession(read.settings, undefined), warnings, warn: ({ text }) => void warnings.push(text) };
}
