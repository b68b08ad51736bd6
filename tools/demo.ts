import { main } from "../cli/main";
import { ensureBuilt } from "./build";
import { endWith, findOrInstallEngine, pathWith } from "./engine/engine";

/** `agent-platform try` in a clone, where the Pulumi CLI may have to be installed first. */
async function demo(): Promise<number> {
  ensureBuilt();
  const engine = await findOrInstallEngine();
  process.env.PATH = pathWith(engine, process.env.PATH);
  const exitCode = await main(["try", ...process.argv.slice(2)]);
  if (exitCode === 0 && engine.how !== "on PATH") {
    console.log(
      `\nThe Pulumi CLI is in ${engine.directory}. To call it yourself:\n\n  export PATH=${engine.directory}:$PATH`,
    );
  }
  return exitCode;
}

endWith(demo());
