import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { type Engine, endWith, findOrInstallEngine, pathWith } from "./engine";

const project = resolve(__dirname, "../..");

/**
 * Keeps the state in a folder in this repository, so nobody needs an account or a passphrase. Variables that are
 * already set take precedence.
 */
function environment(engine: Engine): NodeJS.ProcessEnv {
  const state = join(project, ".state");
  mkdirSync(state, { recursive: true });
  return {
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    // Otherwise the developer's own `pulumi` would look elsewhere for the stack selected here.
    PULUMI_HOME: join(project, ".pulumi-home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // The CLI includes all plugins that the examples need.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    ...process.env,
    PATH: pathWith(engine, process.env.PATH),
  };
}

/**
 * Forwards signals to the CLI, except Ctrl-C in a terminal. The terminal already sends it to the CLI, and a second one
 * would kill the CLI.
 */
function passSignalsOn(send: (signal: NodeJS.Signals) => void, fromTerminal: boolean): void {
  let last = 0;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // npm forwards signals that the whole process group has already received.
      const repeated = Date.now() - last < 500;
      last = Date.now();
      if (!repeated && !(fromTerminal && signal === "SIGINT")) {
        send(signal);
      }
    });
  }
}

/** `npm run pulumi` runs the Pulumi CLI with these arguments, and exits with its code. */
async function main(): Promise<number> {
  const engine = await findOrInstallEngine();
  const fromTerminal = process.stdin.isTTY === true;
  // Listen before starting the CLI: a signal in between would end this process and leave the CLI running.
  passSignalsOn((signal) => cli.kill(signal), fromTerminal);
  const cli = spawn(join(engine.directory, "pulumi"), process.argv.slice(2), {
    env: environment(engine),
    stdio: "inherit",
    // In its own process group, the CLI gets each signal only once, from `passSignalsOn`.
    detached: !fromTerminal,
  });
  return await new Promise((resolve, reject) => {
    cli.on("error", reject);
    cli.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  });
}

endWith(main());
