import { rmSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
import type { Emulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { newProject } from "./engineProject";

/** A stack whose program is a function of the test, as the Automation API runs it: `up` runs no preview first. */
export async function newInlineStack(
  platform: Pick<Emulator, "url" | "token">,
  projectName: string,
  first: () => Promise<unknown>,
  config: Readonly<Record<string, string>> = {},
) {
  const { directory } = await findOrInstallEngine();
  const project = newProject({ projectName });
  const envVars = {
    ...project.env,
    PATH: [directory, process.env.PATH].join(delimiter),
    AGENT_PLATFORM_ACCESS_TOKEN: platform.token,
  };
  let program = first;
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "dev", projectName, program: async () => void (await program()) },
    { workDir: project.directory, envVars, pulumiCommand: await PulumiCommand.get({ root: dirname(directory) }) },
  );
  for (const [key, value] of Object.entries({ "agent-platform:baseUrl": platform.url, ...config })) {
    await stack.setConfig(key, { value });
  }
  return {
    stack,
    write: (next: () => Promise<unknown>) => {
      program = next;
    },
    /** What `up` printed, although it failed. */
    async failedUp(): Promise<string> {
      try {
        await stack.up();
      } catch (error) {
        return String(error);
      }
      throw new Error("the run did not fail");
    },
    remove: () => rmSync(project.root, { recursive: true, force: true }),
  };
}
