import { buildYamlHost } from "./build";
import { executableOnPath, parts } from "./cli";
import type { Engine } from "./engine";
import { placeOnce } from "./placeOnce";

/**
 * What runs programs in YAML. Pulumi's own distribution has it beside the CLI; a CLI that was built with Go gets it there, once a
 * machine, when a program in YAML is run for the first time.
 */
export async function needYamlHost({ directory }: Engine, say: (line: string) => void): Promise<void> {
  if (executableOnPath(parts.yamlHost, process.env.PATH ?? "") === undefined) {
    await placeOnce(directory, parts.yamlHost, buildYamlHost, say);
  }
}
