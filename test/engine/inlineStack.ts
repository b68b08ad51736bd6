import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { LocalWorkspace, PulumiCommand, type UpOptions } from "@pulumi/pulumi/automation";
import type { Emulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { environment } from "../support/engine";
import { newProject, writeConfig } from "../support/engineProject";

/** A stack whose program is a function of the test, as the Automation API runs it: `up` runs no preview first. */
export async function newInlineStack(
  platform: Pick<Emulator, "url" | "token">,
  projectName: string,
  first: () => Promise<unknown>,
) {
  const { directory } = await findOrInstallEngine();
  const project = newProject({ projectName });
  const envVars = environment(directory, project, { AGENT_PLATFORM_ACCESS_TOKEN: platform.token });
  let program = first;
  const configFile = join(project.directory, `Pulumi.${project.stackName}.yaml`);
  writeConfig({ ...project, configFile }, { "agent-platform:baseUrl": platform.url });
  const stack = await LocalWorkspace.selectStack(
    { stackName: project.stackName, projectName, program: async () => void (await program()) },
    { workDir: project.directory, envVars, pulumiCommand: await PulumiCommand.get({ root: dirname(directory) }) },
  );
  // After each run the Automation API asks for the stack's outputs, by two commands more, and no test needs them.
  stack.outputs = async () => ({});
  return {
    stack,
    write: (next: () => Promise<unknown>) => {
      program = next;
    },
    /** What `up` printed, although it failed. */
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
