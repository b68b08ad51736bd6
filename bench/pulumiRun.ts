import type { Stack } from "../test/support/engine";

/** A bare command: without the log of events that the tests read. Seconds. */
export async function pulumiRun({ project, run }: Stack, command: "up" | "destroy"): Promise<number> {
  const onStack = ["--stack", project.stackName, "--config-file", project.configFile];
  const args = [command, "--yes", "--skip-preview", "--suppress-progress", ...onStack];
  return (await run(args, { timeoutMs: 3_600_000 })).durationMs / 1000;
}
