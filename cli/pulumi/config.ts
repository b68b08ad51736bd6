import * as z from "zod";
import { defined, isObject, parseJson, same } from "../../provider/base/json";
import { nearest } from "../../provider/base/spelling";
import { GUARD_KEYS, NAMESPACE } from "../../provider/config/keys";
import { type Guards, readGuards, readSettings, settingRule } from "../../provider/config/settings";
import { type RolloutEntry, rollouts } from "../../provider/routing/rollout";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { runPulumi } from "./cli";
import { configName, stackArgs, type Target } from "./target";
import { isHidden, type Properties } from "./values";

/**
 * The config of one stack. It's only read and written through the Pulumi CLI, so no command depends on its file or
 * format.
 */

/** The output of `pulumi config --json`, which omits the values of secrets. */
const stackConfig = z.record(
  z.string(),
  z.object({ value: z.string().optional(), secret: z.boolean().default(false) }),
);

export type StackConfig = z.infer<typeof stackConfig>;

export async function readConfig(target: Target, io: Io): Promise<StackConfig> {
  const parsed = stackConfig.safeParse(parseJson(await runPulumi(stackArgs(target, "config", "--json"), io)));
  if (!parsed.success) {
    throw new UsageError(`\`pulumi config\` of ${target.stack} did not print the JSON of Pulumi 3.`);
  }
  return parsed.data;
}

/** Returns the config as a map from keys to values, like the `config` of a preview. Secret values are undefined. */
export const valuesOf = (config: StackConfig): Properties =>
  Object.fromEntries(Object.entries(config).map(([key, { value }]) => [key, value]));

// --- guards and endpoint in the config

/** Returns the reason for the freeze, or undefined if the stack is not frozen. */
export function freezeReason(config: StackConfig): string | undefined {
  const { value, secret } = config[`${NAMESPACE}:freeze`] ?? {};
  return secret ? "the reason is secret" : value || undefined;
}

const settingIn = (config: Properties, key: string): unknown => config[`${NAMESPACE}:${key}`];

export const hasGuards = (config: Properties): boolean =>
  GUARD_KEYS.some((key) => settingIn(config, key) !== undefined);

/** Reads the guards from the config as the provider does. Guards with a secret or unknown value are left out. */
export const guardsIn = (config: Properties): Guards =>
  readGuards((key) => {
    const value = settingIn(config, key);
    return isHidden(value) ? undefined : value;
  });

/**
 * Returns the endpoint in the stack's config. Undefined if the config has no valid base URL, for example because it
 * comes from the environment.
 */
export function endpointIn(config: Properties): string | undefined {
  const result = readSettings({ get: (key) => (key === "baseUrl" ? settingIn(config, key) : undefined), env: {} });
  return "settings" in result ? result.settings.endpoint : undefined;
}

// --- rollouts in the config

export const ROLLOUTS = `${NAMESPACE}:rollouts`;

/** The config's rollouts by name, before they are validated. */
type RawRollouts = Readonly<Record<string, unknown>>;

function rawRollouts({ [ROLLOUTS]: entry }: StackConfig, target: Target): RawRollouts {
  if (entry?.secret) {
    throw new UsageError(`${ROLLOUTS} is secret, which \`pulumi up\` refuses. Write it in plain text.`);
  }
  const text = entry?.value?.trim() ?? "";
  const values = text === "" ? {} : parseJson(text);
  if (!isObject(values)) {
    throw new UsageError(`${ROLLOUTS} in ${configName(target)} must be a map from names to rollouts.`);
  }
  return values;
}

/** Returns the rollout with this name after validating it. Without a name, returns the stack's only rollout. */
export function findRollout(
  config: StackConfig,
  name: string | undefined,
  target: Target,
): { readonly name: string; readonly entry: RolloutEntry } {
  const written = rawRollouts(config, target);
  const names = Object.keys(written);
  const wanted = name ?? (names.length === 1 ? names[0] : undefined);
  if (wanted === undefined || !Object.hasOwn(written, wanted)) {
    throw new UsageError(missingText(wanted, names, target));
  }
  const { data, error } = rollouts.safeParse({ [wanted]: written[wanted] });
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) {
    const text = settingRule(["rollouts", ...issue.path], issue.message);
    throw new UsageError(`${text} Correct it in ${configName(target)}.`);
  }
  return { name: wanted, entry: data?.[wanted] as RolloutEntry };
}

function missingText(wanted: string | undefined, names: readonly string[], { stack }: Target): string {
  const subject = `The config of stack ${stack}`;
  if (names.length === 0) {
    return `${subject} has no rollouts. Add one under ${ROLLOUTS}, as a map from its name to { stable, candidate, percent }.`;
  }
  const problem = wanted === undefined ? `${names.length} rollouts` : `no rollout ${JSON.stringify(wanted)}`;
  const similar = nearest(wanted ?? "", names);
  return `${subject} has ${problem}. ${similar === undefined ? `Name one of ${names.join(", ")}.` : `Did you mean ${similar}?`}`;
}

// --- writing a rollout to the config

/**
 * Writes a rollout to the config. Writes only the values that differ, which preserves concurrent changes by other
 * processes.
 * @param before the config as it was read before the change
 */
export async function setRollout(target: Target, name: string, next: RolloutEntry, before: StackConfig, io: Io) {
  const written = rawRollouts(before, target);
  const [oldValues, newValues] = [leavesOf(written[name], [name]), leavesOf(next, [name])];
  const changed = [...newValues].filter(([path, value]) => oldValues.get(path) !== value);
  const wanted: RawRollouts = { ...written, [name]: defined(next) };
  // Compare parsed values, because the config may contain 2.5 as the string "2.5".
  const isWritten = (current: RawRollouts) =>
    same(rollouts.safeParse({ [name]: current[name] }).data?.[name], wanted[name]) &&
    Object.keys(wanted).every((key) => Object.hasOwn(current, key));
  let current: RawRollouts = {};
  try {
    current = await writeAndRead(target, changed, io);
    // If the rollouts are a JSON string or set in the project file, Pulumi drops everything that isn't written
    // explicitly. Write all rollouts in full.
    if (!isWritten(current)) {
      current = await writeAndRead(target, [...leavesOf({ ...wanted, ...current, [name]: next })], io);
    }
  } catch (error) {
    throw error instanceof UsageError
      ? new UsageError(`${error.message.replace(/\.?$/, ".")} ${manualRemedy(target, name, next)}`)
      : error;
  }
  if (!isWritten(current)) {
    throw new UsageError(
      `Pulumi did not write the rollout "${name}" as requested. ${manualRemedy(target, name, next)}`,
    );
  }
}

async function writeAndRead(
  target: Target,
  values: readonly (readonly [string, string])[],
  io: Io,
): Promise<RawRollouts> {
  const args = values.flatMap(([path, value]) => ["--plaintext", `${ROLLOUTS}${path}=${value}`]);
  await runPulumi(stackArgs(target, "config", "set-all", "--path", ...args), io);
  return rawRollouts(await readConfig(target, io), target);
}

/**
 * Maps each path for `pulumi config set-all --path`, such as `["front"]["percent"]`, to its value. Rollouts contain no
 * lists.
 */
function leavesOf(value: unknown, keys: readonly string[] = []): Map<string, string> {
  if (isObject(value)) {
    return new Map(Object.entries(value).flatMap(([key, item]) => [...leavesOf(item, [...keys, key])]));
  }
  const path = keys.map((key) => `[${JSON.stringify(key)}]`).join("");
  return new Map(value === undefined || value === null ? [] : [[path, String(value)]]);
}

/**
 * Tells the user how to write the rollout manually. The JSON is also valid in a YAML file. It leaves out the other
 * rollouts, because another process may have changed them.
 */
const manualRemedy = (target: Target, name: string, entry: RolloutEntry): string =>
  `In ${ROLLOUTS} of ${configName(target)}, replace this rollout manually and leave the others as they are: ${JSON.stringify({ [name]: entry })}`;
