import { runToEnd, withProgress } from "./child";
import type { FillStage } from "./install";
import { engineVersion } from "./version";

/** Long enough for a slow line; where downloads are closed it fails within seconds. */
const timeoutMs = 5 * 60_000;

/**
 * The SDK's own installer, whose default version is that of the SDK. In a process of its own: it cannot be stopped
 * otherwise, and its module takes a second to load.
 */
const program = `
  const [sdk, root] = process.argv.slice(1);
  require(sdk).PulumiCommand.install({ root }).catch((error) => {
    console.error(error.message.replace(/\\s+/g, " "));
    process.exitCode = 1;
  });`;

export const download: FillStage = (stage, signal, say) =>
  withProgress(`downloading the Pulumi CLI ${engineVersion} (once per machine)`, say, () => {
    const sdk = require.resolve("@pulumi/pulumi/automation");
    return runToEnd(process.execPath, ["-e", program, sdk, stage], { cwd: stage, signal, timeoutMs });
  });
