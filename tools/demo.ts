import { main } from "../cli/main";
import { endWith, findOrInstallEngine, pathWith } from "./engine/engine";

/** `agent-platform try` in a clone, where the Pulumi CLI may have to be installed first. */
async function demo(): Promise<number> {
  const engine = await findOrInstallEngine();
  process.env.PATH = pathWith(engine, process.env.PATH);
  return main(["try", ...process.argv.slice(2)]);
}

endWith(demo());
