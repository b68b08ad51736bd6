import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { type Engine, endWith, findOrInstallEngine, pathWith } from "./engine";

const project = resolve(__dirname, "../..");

/** The state is in a folder of this repository, so nobody needs an account or a passphrase. A variable that is set already wins. */
function environment(engine: Engine): NodeJS.ProcessEnv {
  const state = join(project, ".state");
  mkdirSync(state, { recursive: true });
  return {
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    // Without it, the developer's own `pulumi` would look elsewhere for the stack that was selected here.
    PULUMI_HOME: join(project, ".pulumi-home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // All plugins that the examples need come with the CLI.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    ...process.env,
    PATH: pathWith(engine, process.env.PATH),
  };
}

/**
 * A terminal sends Ctrl-C to the CLI as well, and a second one would end the CLI at once. So nothing is passed on from a terminal. Without a terminal the CLI has a process group of its own and gets each signal from here, once.
 */
function passSignalsOn(send: (signal: NodeJS.Signals) => void, fromTerminal: boolean): void {
  let last = 0;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // npm passes on a signal that the whole process group has had already.
      const repeated = Date.now() - last < 500;
      last = Date.now();
      if (!repeated && !(fromTerminal && signal === "SIGINT")) {
        send(signal);
      }
    });
  }
}

/** `npm run pulumi`: the Pulumi CLI with these arguments; its exit code. */
async function main(): Promise<number> {
  const engine = await findOrInstallEngine();
  const fromTerminal = process.stdin.isTTY === true;
  // It listens before the CLI starts, because a signal in between would end this process and leave the CLI alone.
  passSignalsOn((signal) => cli.kill(signal), fromTerminal);
  const cli = spawn(join(engine.directory, "pulumi"), process.argv.slice(2), {
    env: environment(engine),
    stdio: "inherit",
    detached: !fromTerminal,
  });
  return await new Promise((resolve, reject) => {
    cli.on("error", reject);
    cli.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  });
}

endWith(main());
