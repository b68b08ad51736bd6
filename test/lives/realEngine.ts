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
import { type Kill, type Seen, seen, type Told } from "./seen";
import { configFor, type Step } from "./world";

const classes = Object.fromEntries(KINDS.map((kind) => [kindOf(kind), kind])) as Record<Kind, ResourceKind>;

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

/** A stack of the real engine and its platform, for one life after the other. A resource is declared when the one before it is done. */
export async function openStack() {
  // From the environment, as a pipeline has it: neither the config nor the state is to hold the token.
  const stack = await newStack({ program, env: { AGENT_PLATFORM_ACCESS_TOKEN: TOKEN, ...attemptsAre(1) } });
  const platform = await startRealPlatform();
  const { stateFile, directory } = stack.project;
  const birth = readFileSync(stateFile, "utf8");
  const state = (): Saved[] => stack.resources().map(savedOf);
  const kill = (role: "cli" | "provider") => killAll(stack.processes().filter((one) => one.role === role));
  let store: Store = EMPTY;
  let given: Config = {};

  function declare({ program, guards, rejects, order = "serial" }: Step, triggers: number): void {
    const { "agent-platform:accessToken": _, ...settings } = configFor(settingsOf(guards), platform.url);
    // In the model, null stands for a setting that is left out.
    const config = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
    // What a run before had and this one has not goes.
    const removed = Object.fromEntries(Object.keys(given).map((key) => [key, undefined]));
    given = config as Config;
    stack.setConfig({ ...removed, ...given });
    const declarations = declarationsOf(withIds(program, state()), triggers).map((one) => ({
      ...one,
      type: classes[one.kind],
      isRejected: one.name === rejects,
    }));
    writeFileSync(join(directory, "declared.json"), JSON.stringify({ declarations, isInOrder: order === "serial" }));
  }

  async function up({ isInline, continueOnError, order = "serial" }: Step): Promise<Result> {
    const host = isInline ? await serveInline(stack) : undefined;
    // One after the other, so that a fault meets the same request in every life of one chain, as far as that can be.
    const args = [
      ...(order === "serial" ? ["--parallel", "1"] : []),
      ...(continueOnError ? ["--continue-on-error"] : []),
    ];
    const result = await stack.up({
      args: [...args, ...(host?.args ?? [])],
      mayFail: true,
      // An inline program is in this process, and leaves the mark of its failure in this folder.
      ...(host && { env: { TMPDIR: tmpdir() } }),
    });
    host?.close();
    await forgetKilled(stack);
    return result;
  }

  return {
    /** Another life. */
    begin(): void {
      store = EMPTY;
      writeFileSync(stateFile, birth);
    },
    async live({ step, triggers, lived }: Told, cliDies: Kill | undefined): Promise<Seen> {
      const { fault } = step;
      const hit = fault?.at === "request" ? lived.sent[fault.index] : undefined;
      const open = platform.begin(store, {
        ...(hit !== undefined &&
          fault?.at === "request" && {
            fault: { request: hit, occurrence: occurrenceOf(lived.sent, hit), kind: fault.kind },
          }),
        ...(cliDies && { cliDies }),
        together: lived.sent.slice(0, lived.together),
        kill,
      });
      declare(step, triggers);
      const result = await up(step);
      ({ store } = open);
      return seen(step, runOf(result), open.sent, state(), store, platform.url);
    },
    async close(): Promise<void> {
      await stack.remove();
      await platform.close();
    },
  };
}

const occurrenceOf = (sent: readonly Sent[], one: Sent): number =>
  sent.filter((other) => nameOf(other) === nameOf(one)).indexOf(one);

/** The ids of unresolved resources are made up, and differ. */
const withIds = (program: Program, state: readonly Saved[]): Program =>
  program.map((piece) =>
    piece.retryUnresolved === undefined
      ? piece
      : { ...piece, retryUnresolved: state.find(({ name }) => name === piece.name)?.id ?? piece.retryUnresolved },
  );

/**
 * What a killed CLI leaves: plugins that are still ending, its host of programs, which notices only after minutes, a plugin that it had
 * started and not asked anything yet, in which nothing of ours is loaded, and its lock, which `pulumi cancel` takes away.
 */
async function forgetKilled({ project, processes }: Stack): Promise<void> {
  killAll(processes().filter(({ role }) => role === "languageHost"));
  await leftOf(processes, 10_000);
  rmSync(join(dirname(dirname(dirname(project.stateFile))), "locks"), { recursive: true, force: true });
}

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

/** What the engine says of a provider that is removed. */
const codeOf = (message: string): number | undefined =>
  /code = Unavailable|error reading from server|connection refused|the plugin .* exited/i.test(message)
    ? 14
    : undefined;

/** Steps are not told of a CLI that was killed. "same" is not among the real engine's steps here, and "replace" is no step of its own. */
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
  const told = signal === null ? steps : [];
  return { steps: told.flatMap(({ op, name }) => (ops[op] === undefined ? [] : [{ op: ops[op], name }])), failures };
}
