import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dynamicType, isOfNumbers, providerText, type ResourceKind } from "../../provider/config/kinds";
import { splitOf } from "../../provider/routing/rollout";
import type { Rollout } from "../../provider/routing/types";
import { fakeCli } from "../support/engineFakes";
import type { World } from "./terminal";

/**
 * Stacks with a state, a config and a history, and a fake Pulumi CLI that prints them. Other tests use the real engine
 * instead.
 */

type Properties = Readonly<Record<string, unknown>>;

export const platform = "https://platform.example";

export const secret = (ciphertext: string) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext,
});

// --- a state as `pulumi stack export` prints it

export interface Entry {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly id: string;
  readonly outputs: Properties;
  readonly more?: Properties;
}

export interface Written {
  readonly entries?: readonly Entry[];
  readonly pending?: readonly (Omit<Entry, "id"> & { readonly operation: string })[];
}

const urnOf = (stack: string, type: string, name: string) => `urn:pulumi:${stack}::phones::${type}::${name}`;

function exported(stack: string, { entries = [], pending = [] }: Written): string {
  const resource = ({ kind, name, id, outputs, more }: Entry) => ({
    urn: urnOf(stack, dynamicType(kind), name),
    custom: true,
    id,
    type: dynamicType(kind),
    inputs: { ...(isOfNumbers(kind) && { endpoint: platform }), ...outputs, __provider: providerText(kind) },
    outputs: { endpoint: platform, __provider: providerText(kind), ...outputs },
    provider: `${urnOf(stack, "pulumi:providers:pulumi-nodejs", "default")}::0c45`,
    ...more,
  });
  const root = { urn: urnOf(stack, "pulumi:pulumi:Stack", "phones-dev"), custom: false, type: "pulumi:pulumi:Stack" };
  const foreign = { urn: urnOf(stack, "other:index:Thing", "x"), custom: true, type: "other:index:Thing", id: "1" };
  const operations = pending.map((entry) => ({ type: entry.operation, resource: resource({ id: "", ...entry }) }));
  const resources = [root, foreign, ...entries.map(resource)];
  return JSON.stringify({
    version: 3,
    deployment: { resources, ...(operations.length > 0 && { pending_operations: operations }) },
  });
}

/** Returns the split that results from a resource's rollout, or undefined if it has no rollout. */
const splitOfRollout = ({ rollout }: Properties) => rollout && splitOf(rollout as Rollout);

export const number = (name: string, id: string, outputs: Properties = {}, more: Properties = {}): Entry => ({
  kind: "NumberAssignment",
  name,
  id,
  outputs: { number: id, inboundAgents: splitOfRollout(outputs) ?? { "agent_a@1": 90, "agent_b@2": 10 }, ...outputs },
  more,
});

export const group = (name: string, numbers: string, outputs: Properties = {}, more: Properties = {}): Entry => ({
  kind: "NumberGroup",
  name,
  id: `group-${name}`,
  outputs: { numbers, inboundAgents: splitOfRollout(outputs) ?? { "agent_a@1": 70, "agent_b@2": 30 }, ...outputs },
  more,
});

// --- a run as `pulumi stack history --json` prints it

export interface Run {
  readonly kind?: string;
  readonly at: string;
  readonly message?: string;
  readonly result?: string;
  /** The value of `agent-platform:rollouts` in the run's config. */
  readonly rollouts?: unknown;
}

const recordOf = ({ kind = "update", at, message = "", result = "succeeded", rollouts }: Run) => ({
  version: 0,
  kind,
  startTime: at,
  message,
  environment: { "exec.kind": "cli", "git.author": "Ada" },
  config: {
    "agent-platform:accessToken": { secret: true },
    ...(rollouts !== undefined && {
      "agent-platform:rollouts": { value: JSON.stringify(rollouts), objectValue: rollouts, secret: false },
    }),
  },
  result,
  endTime: at,
  resourceChanges: { same: 1 },
});

// --- a project with a fake CLI

export interface RecordedStack {
  /** If this is null, the CLI reports that the stack doesn't exist. */
  readonly state?: Written | null;
  readonly runs?: readonly Run[];
  /** If this is null, the CLI can't read the config. If a single setting is null, it's a secret. */
  readonly config?: Readonly<Record<string, string | null>> | null;
  readonly yaml?: string | Uint8Array;
}

const configText = (config: Readonly<Record<string, string | null>>): string => {
  const entries = Object.entries(config).map(([key, value]) => [
    key,
    value === null ? { secret: true } : { value, secret: false },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
};

const NOW = "2026-11-23T09:20:00Z";

/**
 * The fake CLI's implementation of `pulumi config set-all --path`. For each call, it also appends a line with the
 * assignments to `<stack>.sets`.
 */
const SET_ALL = `const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const [, , stack, ...argv] = process.argv;
const config = JSON.parse(readFileSync(stack + ".config.json", "utf8"));
const assignments = argv.filter((_, index) => argv[index - 1] === "--plaintext");
for (const assignment of assignments) {
  const [, key, path, value] = /^([^[]+)([^=]+)=(.*)$/s.exec(assignment);
  const keys = JSON.parse(path.replaceAll("][", ","));
  const values = JSON.parse(config[key]?.value ?? "{}");
  const map = keys.slice(0, -1).reduce((found, name) => (found[name] ??= {}), values);
  map[keys.at(-1)] = /^(0|[1-9]\\d*)$/.test(value) ? Number(value) : value;
  config[key] = { value: JSON.stringify(values), secret: false };
}
writeFileSync(stack + ".config.json", JSON.stringify(config));
appendFileSync(stack + ".sets", assignments.join(" ") + "\\n");
`;

/** The fake CLI's implementation of `pulumi config get`, for keys in the project's namespace, `phones`. */
const GET = `const [, , stack, key] = process.argv;
const config = JSON.parse(require("node:fs").readFileSync(stack + ".config.json", "utf8"));
const { value } = config["phones:" + key] ?? {};
if (value === undefined) { console.error("error: configuration key '" + key + "' not found"); process.exit(255); }
console.log(value);
`;

/**
 * Runs a test in a project called `phones`, with a fake Pulumi CLI that prints these stacks.
 * @param test receives the working directory, environment and clock for a command that runs in the project
 */
export function withRecorded<Result>(
  stacks: Readonly<Record<string, RecordedStack>>,
  test: (world: World & { readonly cwd: string }) => Promise<Result>,
): Promise<Result> {
  const files = Object.entries(stacks).flatMap(([name, { state = {}, runs = [], config = {}, yaml }]) => [
    ...(state === null ? [] : [[`${name}.export.json`, exported(name.split("/").at(-1) ?? "", state)]]),
    // Pulumi prints the newest run first.
    [`${name}.history.json`, JSON.stringify(runs.map(recordOf).reverse())],
    ...(config === null ? [] : [[`${name}.config.json`, configText(config)]]),
    ...(yaml === undefined ? [] : [[`phones/Pulumi.${name}.yaml`, yaml]]),
  ]);
  const names = Object.entries(stacks).flatMap(([name, { state }]) => (state === null ? [] : [{ name }]));
  return withFiles(
    {
      "phones/Pulumi.yaml": "name: phones\nruntime: nodejs\n",
      // The output of `stack ls`, which is the only command without `--stack`.
      ".ls.json": JSON.stringify(names),
      ...Object.fromEntries(files),
    },
    (root) => {
      writeFileSync(join(root, "set.cjs"), SET_ALL);
      writeFileSync(join(root, "get.cjs"), GET);
      // The fake CLI supports `stack ls`, and `stack export`, `stack history`, `config`, `config get` and
      // `config set-all` with `--stack <name>`.
      fakeCli(
        join(root, "bin"),
        `record=$2; [ "$1" = config ] && record=config
for word; do [ "$last" = --stack ] && stack=$word; last=$word; done
[ "$1 $2" = "config get" ] && exec "${process.execPath}" "${root}/get.cjs" "${root}/$stack" "$3"
[ "$1 $2" = "config set-all" ] && exec "${process.execPath}" "${root}/set.cjs" "${root}/$stack" "$@"
cat "${root}/$stack.$record.json" 2> /dev/null || { echo "error: no stack named '$stack' found" >&2; exit 255; }`,
      );
      const env = { PATH: `${join(root, "bin")}:${process.env.PATH}`, HOME: root };
      return test({ cwd: join(root, "phones"), env, now: () => new Date(NOW) });
    },
  );
}

/** Runs a test with a temporary folder that contains these files. */
async function withFiles<Result>(
  files: Readonly<Record<string, string | Uint8Array>>,
  test: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-cli-")));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  try {
    return await test(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
