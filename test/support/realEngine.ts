import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb";
import { nameOf } from "../../provider/core/common/urn";
import { KINDS, type ResourceKind } from "../../provider/core/platform/kinds";
import { type Config, newStack, type ResourceState, type Result, type Stack } from "./engine";
import { killAll, leftOf } from "./engineProcesses";
import {
  CliKilled,
  type Declaration,
  type Failure,
  type Op,
  type Run,
  type RunOptions,
  type Saved,
  type Step,
} from "./miniEngine";
import type { Kind } from "./providerCalls";

const handlerName = (kind: ResourceKind) => `${kind.charAt(0).toLowerCase()}${kind.slice(1)}` as Kind;
const kinds = new Map<string, Kind>(KINDS.map((kind) => [kind, handlerName(kind)]));
const classes = Object.fromEntries(KINDS.map((kind) => [handlerName(kind), kind])) as Record<Kind, ResourceKind>;

/** Reads what is declared from a file beside it. */
const program = `
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const pulumi = require("@pulumi/pulumi");
const platform = require("pulumi-agent-platform");
const failing = (args) => {
  const name = ["number", "numbers", "toNumber", "voiceName"].find((one) => one in args);
  return { ...args, [name]: pulumi.output(args[name]).apply(async () => { throw new Error("an output of the program"); }) };
};
module.exports = async () => {
  const { declarations, isInOrder } = JSON.parse(readFileSync(join(__dirname, "declared.json"), "utf8"));
  for (const { type, name, args, aliases, isRejected } of declarations) {
    const resource = new platform[type](name, isRejected ? failing(args) : args, {
      aliases: aliases?.map((name) => ({ name })),
    });
    // Of a resource that an inline program cannot register, nothing comes any more.
    if (isInOrder && !isRejected) await resource.urn.promise().catch(() => {});
  }
};`;

/** The real CLI under the small engine's face, so that both can live the same life. A resource is declared when the one before it is done. */
export async function createRealEngine(token: string) {
  // From the environment, as a pipeline has it: neither the config nor the state is to hold the token.
  const stack = await newStack({ program, env: { AGENT_PLATFORM_ACCESS_TOKEN: token, TEST_ATTEMPTS: "1" } });
  const state = (): Saved[] => stack.resources().map(savedOf);
  let given: Config = {};

  function declare(declarations: readonly Declaration[], { config: all, isParallel }: RunOptions): void {
    const { "agent-platform:accessToken": _, ...config } = all;
    // What a run before had and this one has not goes, as the time-outs of a run with slow faults.
    const gone = Object.fromEntries(Object.keys(given).map((key) => [key, undefined]));
    given = config as Config;
    stack.setConfig({ ...gone, ...given });
    const typed = declarations.map((one) => ({ ...one, type: classes[one.kind] }));
    const declared = { declarations: typed, isInOrder: !isParallel };
    writeFileSync(join(stack.project.directory, "declared.json"), JSON.stringify(declared));
  }

  async function up(declarations: readonly Declaration[], options: RunOptions): Promise<Run> {
    declare(declarations, options);
    const host = options.isInline ? await serveInline(stack) : undefined;
    const result = await stack.up({
      args: [...argsOf(options), ...(host?.args ?? [])],
      mayFail: true,
      timeoutMs: 60_000,
      // An inline program is in this process, and leaves the mark of its failure in this folder.
      ...(host && { env: { TMPDIR: tmpdir() } }),
    });
    host?.close();
    await forgetKilled(stack);
    const known = runOf(result);
    if (result.signal !== null) {
      throw new CliKilled(known.failures);
    }
    return known;
  }

  return {
    stack,
    get state() {
      return state();
    },
    /** In the middle of a run. */
    kill: (role: "cli" | "provider") => killAll(stack.processes().filter((one) => one.role === role)),
    up,
    close: () => stack.remove(),
  };
}

/**
 * What a killed CLI leaves: plugins that are still ending, its host of programs, which notices only after minutes, a plugin that it had
 * started and not asked anything yet, in which nothing of ours is loaded, and its lock, which `pulumi cancel` takes away.
 */
async function forgetKilled({ project, processes }: Stack): Promise<void> {
  killAll(processes().filter(({ role }) => role === "languageHost"));
  await leftOf(processes);
  rmSync(join(dirname(dirname(dirname(project.stateFile))), "locks"), { recursive: true, force: true });
}

const argsOf = (options: RunOptions): readonly string[] => [
  // One after the other, so that a fault meets the same request in every life of one chain, as far as that can be.
  ...(options.isParallel ? [] : ["--parallel", "1"]),
  ...(options.continueOnError ? ["--continue-on-error"] : []),
];

const load = createRequire(__filename);

/** What the Automation API gives to the CLI beside a program in this process: its own commands cost a second more. */
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

type Real = ResourceState & { readonly pendingReplacement?: boolean };

function savedOf({ type, name, id, inputs, outputs, initErrors, ...rest }: Real): Saved {
  return {
    name,
    kind: kinds.get(type.slice(type.lastIndexOf(":") + 1)) as Kind,
    id,
    inputs,
    outputs,
    initErrors: initErrors ?? [],
    ...(rest.delete && { delete: true }),
    ...(rest.pendingReplacement && { pendingReplacement: true }),
  };
}

const ops: Readonly<Record<string, Op>> = {
  create: "create",
  update: "update",
  "create-replacement": "createReplacement",
  "delete-replaced": "deleteReplaced",
  delete: "delete",
  "remove-pending-replace": "remove",
};

/** What the engine says of a provider that is gone. */
const codeOf = (message: string): number | undefined =>
  /code = Unavailable|error reading from server|connection refused|the plugin .* exited/i.test(message)
    ? 14
    : undefined;

function runOf({ steps, diagnostics, exitCode }: Result): Run {
  const failures = diagnostics.flatMap(({ severity, urn, message }): Failure[] =>
    severity === "error" && urn?.includes("pulumi-nodejs:dynamic")
      ? [
          {
            name: nameOf(urn),
            message: message.slice(Math.max(0, message.search(/AGP-\d{3} /))),
            code: codeOf(message),
          },
        ]
      : [],
  );
  return {
    // "same" is not among the real engine's steps here, and "replace" is no step of its own.
    steps: steps.flatMap(({ op, name }): Step[] => (ops[op] === undefined ? [] : [{ op: ops[op], name }])),
    failures,
    said: diagnostics.map(({ message }) => message).join("\n"),
    isOk: exitCode === 0,
  };
}
