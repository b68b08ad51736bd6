import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb";
import { nameOf as nameOfUrn } from "../../provider/base/engine";
import { KINDS, type ResourceKind } from "../../provider/config/kinds";
import { type Config, newStack, type ResourceState, type Result, type Stack } from "../support/engine";
import { killAll, leftOf } from "../support/engineProcesses";
import { attemptsAre } from "../support/engineProject";
import type { Failure, Op, Run, Saved } from "../support/miniEngine";
import { type Kind, kindOf } from "../support/providerCalls";
import { EMPTY, type Sent, type Store, TOKEN } from "./platform";
import { declarationsOf, type Program, settingsOf } from "./program";
import { nameOf, startRealPlatform } from "./realPlatform";
import { type Kill, type Observed, observe, type SimulatedRun } from "./seen";
import { configFor, type Step } from "./world";

const classes = Object.fromEntries(KINDS.map((kind) => [kindOf(kind), kind])) as Record<Kind, ResourceKind>;

/** A program that reads its declarations from a file in the same folder. */
const program = `
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const pulumi = require("@pulumi/pulumi");
const platform = require("pulumi-agent-platform");
const failing = (args) => {
  const name = ["number", "numbers", "toNumber", "voiceName"].find((key) => key in args);
  return { ...args, [name]: pulumi.output(args[name]).apply(async () => { throw new Error("an output of the program"); }) };
};
module.exports = async () => {
  const { declarations, isInOrder } = JSON.parse(readFileSync(join(__dirname, "declared.json"), "utf8"));
  for (const { type, name, args, aliases, isRejected } of declarations) {
    const resource = new platform[type](name, isRejected ? failing(args) : args, {
      aliases: aliases?.map((name) => ({ name })),
    });
    // Don't wait for a rejected resource. An inline program can't register it, so its URN would never resolve.
    if (isInOrder && !isRejected) await resource.urn.promise().catch(() => {});
  }
};`;

/** Opens a real-engine stack and a platform for it. Lives run on them one after another. */
export async function openStack() {
  // Pass the token in the environment, as a pipeline does, so that neither the config nor the state contains it.
  const stack = await newStack({ program, env: { AGENT_PLATFORM_ACCESS_TOKEN: TOKEN, ...attemptsAre(1) } });
  const platform = await startRealPlatform();
  const { stateFile, directory } = stack.project;
  const birth = readFileSync(stateFile, "utf8");
  const state = (): Saved[] => stack.resources().map(savedOf);
  const kill = (role: "cli" | "provider") => killAll(stack.processes().filter((running) => running.role === role));
  let store: Store = EMPTY;
  let currentConfig: Config = {};

  function declare({ program, guards, rejects, order = "serial" }: Step, triggers: number): void {
    const { "agent-platform:accessToken": _, ...settings } = configFor(settingsOf(guards), platform.url);
    // In the model, null means that a setting is left out.
    const config = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
    // Unset the previous run's settings, in case this run doesn't set them.
    const removed = Object.fromEntries(Object.keys(currentConfig).map((key) => [key, undefined]));
    currentConfig = config as Config;
    stack.setConfig({ ...removed, ...currentConfig });
    const declarations = declarationsOf(withIds(program, state()), triggers).map((declaration) => ({
      ...declaration,
      type: classes[declaration.kind],
      isRejected: declaration.name === rejects,
    }));
    writeFileSync(join(directory, "declared.json"), JSON.stringify({ declarations, isInOrder: order === "serial" }));
  }

  async function up({ isInline, continueOnError, order = "serial" }: Step): Promise<Result> {
    const host = isInline ? await serveInline(stack) : undefined;
    // In serial order, run one operation at a time, so that a fault hits the same request as in the model.
    const args = [
      ...(order === "serial" ? ["--parallel", "1"] : []),
      ...(continueOnError ? ["--continue-on-error"] : []),
    ];
    const result = await stack.up({
      args: [...args, ...(host?.args ?? [])],
      mayFail: true,
      // An inline program runs in the test's process. If it fails, it leaves a mark in that process's temporary folder,
      // so tell the provider to look there.
      ...(host && { env: { TMPDIR: tmpdir() } }),
    });
    host?.close();
    await forgetKilled(stack);
    return result;
  }

  return {
    /** Starts another life, with an empty stack and platform. */
    begin(): void {
      store = EMPTY;
      writeFileSync(stateFile, birth);
    },
    async run({ step, triggers, result: simulated }: SimulatedRun, cliDies: Kill | undefined): Promise<Observed> {
      const { fault } = step;
      const faultyRequest = fault?.at === "request" ? simulated.sent[fault.index] : undefined;
      const platformRun = platform.begin(store, {
        ...(faultyRequest !== undefined &&
          fault?.at === "request" && {
            fault: {
              request: faultyRequest,
              occurrence: occurrenceOf(simulated.sent, faultyRequest),
              kind: fault.kind,
            },
          }),
        ...(cliDies && { cliDies }),
        together: simulated.sent.slice(0, simulated.together),
        kill,
      });
      declare(step, triggers);
      const result = await up(step);
      ({ store } = platformRun);
      return observe(step, runOf(result), platformRun.sent, state(), store, platform.url);
    },
    async close(): Promise<void> {
      await stack.remove();
      await platform.close();
    },
  };
}

const occurrenceOf = (sent: readonly Sent[], request: Sent): number =>
  sent.filter((other) => nameOf(other) === nameOf(request)).indexOf(request);

/**
 * Replaces the model's IDs in `retryUnresolved` with those in the real state, because the provider generates random
 * IDs.
 */
const withIds = (program: Program, state: readonly Saved[]): Program =>
  program.map((resource) =>
    resource.retryUnresolved === undefined
      ? resource
      : {
          ...resource,
          retryUnresolved: state.find(({ name }) => name === resource.name)?.id ?? resource.retryUnresolved,
        },
  );

/** Ends the processes of a killed CLI, and removes its lock. */
async function forgetKilled({ project, processes }: Stack): Promise<void> {
  // The language host would notice only minutes later that the CLI is gone.
  killAll(processes().filter(({ role }) => role === "languageHost"));
  // A plugin that was never called hasn't loaded our code and doesn't end by itself, so kill it after 10 seconds.
  await leftOf(processes, 10_000);
  // Remove the lock, as `pulumi cancel` does.
  rmSync(join(dirname(dirname(dirname(project.stateFile))), "locks"), { recursive: true, force: true });
}

const load = createRequire(__filename);

/**
 * Serves the program to the CLI from this process, as the Automation API does. The Automation API itself would take a
 * second longer, because it runs additional commands.
 */
async function serveInline({ project }: Stack) {
  const program = load(join(project.directory, "index.js"));
  const { LanguageServer } = load("@pulumi/pulumi/automation/server") as {
    LanguageServer: new (program: unknown) => never;
  };
  const server = new Server();
  server.addService(LanguageRuntimeService, new LanguageServer(program));
  const port = await new Promise((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { args: [`--client=127.0.0.1:${port}`, "--exec-kind=auto.inline"], close: () => server.forceShutdown() };
}

function savedOf({ type, name, id, inputs, outputs, initErrors, ...rest }: ResourceState): Saved {
  return {
    name,
    kind: kindOf(type.slice(type.lastIndexOf(":") + 1) as ResourceKind),
    id,
    inputs,
    outputs,
    initErrors: initErrors ?? [],
    ...(rest.delete && { delete: true }),
  };
}

const ops: Readonly<Record<string, Op>> = {
  create: "create",
  update: "update",
  "create-replacement": "createReplacement",
  "delete-replaced": "deleteReplaced",
  delete: "delete",
};

/** Returns 14, the gRPC status `UNAVAILABLE`, if the engine's message says that the provider's process is gone. */
const codeOf = (message: string): number | undefined =>
  /code = Unavailable|error reading from server|connection refused|the plugin .* exited/i.test(message)
    ? 14
    : undefined;

/** Converts a result to the model's form. Leaves out "same" and "replace" steps, and all steps of a killed CLI. */
function runOf({ steps, diagnostics, signal }: Result): Pick<Run, "steps" | "failures"> {
  const failures = diagnostics.flatMap(({ severity, urn, message }): Failure[] =>
    severity === "error" && urn?.includes("pulumi-nodejs:dynamic")
      ? [
          {
            name: nameOfUrn(urn),
            message: message.slice(Math.max(0, message.search(/AGP-\d{3} /))),
            code: codeOf(message),
          },
        ]
      : [],
  );
  const reported = signal === null ? steps : [];
  return {
    steps: reported.flatMap(({ op, name }) => (ops[op] === undefined ? [] : [{ op: ops[op], name }])),
    failures,
  };
}
