import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { LocalWorkspace, PulumiCommand, type UpOptions } from "@pulumi/pulumi/automation";
import type { Emulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { environment } from "../support/engine";
import { newProject, writeConfig } from "../support/engineProject";

/**
 * Creates a stack whose program is a function in the test's process. The Automation API runs it, so `up` doesn't run a
 * preview first.
 */
export async function newInlineStack(
  platform: Pick<Emulator, "url" | "token">,
  projectName: string,
  initialProgram: () => Promise<unknown>,
) {
  const { directory } = await findOrInstallEngine();
  const project = newProject({ projectName });
  const envVars = environment(directory, project, { AGENT_PLATFORM_ACCESS_TOKEN: platform.token });
  let program = initialProgram;
  const configFile = join(project.directory, `Pulumi.${project.stackName}.yaml`);
  writeConfig({ ...project, configFile }, { "agent-platform:baseUrl": platform.url });
  const stack = await LocalWorkspace.selectStack(
    { stackName: project.stackName, projectName, program: async () => void (await program()) },
    { workDir: project.directory, envVars, pulumiCommand: await PulumiCommand.get({ root: dirname(directory) }) },
  );
  // After each `up`, the Automation API runs two more commands to read the stack's outputs, which no test needs.
  stack.outputs = async () => ({});
  return {
    stack,
    write: (next: () => Promise<unknown>) => {
      program = next;
    },
    /** Runs an `up` that must fail, and returns the error, which includes Pulumi's output. */
    async failedUp(options?: UpOptions): Promise<string> {
      try {
        await stack.up(options);
      } catch (error) {
        return String(error);
      }
      throw new Error("the run did not fail");
    },
    remove: () => rmSync(project.root, { recursive: true, force: true }),
  };
}
