import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseJson } from "../../../provider/core/common/json";
import { printable } from "../../../provider/core/common/redact";
import { readSettings } from "../../../provider/core/config/readSettings";
import {
  BASE_URL_ENV,
  BYPASS_ENV,
  CONTEXT_HEADERS,
  type Guards,
  NAMESPACE,
  type Settings,
  TOKEN_ENV,
  unknownSettings,
} from "../../../provider/core/config/settings";
import { some } from "../../../provider/core/messages";
import type { Io } from "../../io";
import { present } from "../../lists";
import type { StackConfig } from "../../pulumi/config";
import { droppedResources, programFolder } from "../../pulumi/projectFile";
import type { Finding } from "./finding";

export type Used = ReturnType<typeof settingsUsed>;

/** A text in place of an encrypted token, which the rules for tokens accept. It is never shown. */
const ENCRYPTED = "encrypted";
const NO_BASE_URL = "https://base-url.invalid";

/** The settings that a run would use, from the environment and from the config of a stack. The token is not shown. */
export function settingsUsed(of: { readonly stack: string; readonly config: StackConfig } | undefined, io: Io) {
  const { stack, config } = of ?? {};
  const entry = (key: string) => config?.[`${NAMESPACE}:${key}`];
  const get = (key: string) => (key === "accessToken" && entry(key)?.secret ? ENCRYPTED : entry(key)?.value);
  const token = entry("accessToken");
  const isBaseUrlSet = entry("baseUrl") !== undefined || Boolean(io.env[BASE_URL_ENV]);
  const isBaseUrlKnown = get("baseUrl") !== undefined || (isBaseUrlSet && !entry("baseUrl")?.secret);
  const read = readSettings({
    // Without a base URL the other settings would not be read.
    get: (key) => (key === "baseUrl" && !isBaseUrlKnown ? NO_BASE_URL : get(key)),
    env: isBaseUrlKnown ? io.env : { ...io.env, [BASE_URL_ENV]: undefined },
    readApproved: (path) => readFileSync(resolve(programFolder(io.cwd), path), "utf8"),
  });
  const problems = "problems" in read ? read.problems : [];
  const settings = "settings" in read ? read.settings : undefined;
  return {
    /** The stack of the config; undefined if only the environment was read. */
    stack,
    config,
    rows: [
      ["base URL", isBaseUrlSet ? baseUrlText(settings, entry("baseUrl")) : notSet(config)],
      ["access token", tokenText(token, io)],
      ...(settings === undefined ? [] : settingRows(settings)),
    ] satisfies [string, string][],
    findings: present<Finding>([
      !isBaseUrlSet && config !== undefined && baseUrlMissing,
      ...problems.map(({ code, text }) => ({ code, what: printable(text), todo: "fix the setting." })),
      ...misspelt(config),
      ...dropped(config, io),
      isProviderDisabled(config) && PROVIDER_DISABLED,
      token !== undefined && !token.secret && PLAIN_TOKEN,
      Boolean(io.env[BYPASS_ENV]) && BYPASSED_GUARDS,
    ]),
    /** The platform that a run would send to; undefined if no setting names one. */
    endpoint: isBaseUrlKnown ? settings?.endpoint : undefined,
  };
}

const baseUrlMissing: Finding = {
  code: "AGP-010",
  what: "the base URL of the platform is not set.",
  todo: `\`pulumi config set ${NAMESPACE}:baseUrl https://…\`, or set ${BASE_URL_ENV}.`,
};

const notSet = (config: StackConfig | undefined): string =>
  config === undefined ? "not set here; --stack reads a stack's config" : "not set";

function baseUrlText(settings: Settings | undefined, entry: StackConfig[string] | undefined): string {
  if (entry?.secret) {
    return "encrypted in the stack's config";
  }
  const source = entry === undefined ? `${BASE_URL_ENV} (environment)` : `${NAMESPACE}:baseUrl (stack config)`;
  return settings === undefined ? `from ${source}, not usable` : `${settings.baseUrl} from ${source}`;
}

function tokenText(entry: StackConfig[string] | undefined, { env }: Io): string {
  if (env[TOKEN_ENV]) {
    return `from ${TOKEN_ENV} (environment)`;
  }
  if (entry === undefined) {
    return "not set: a preview needs none, `pulumi up` does";
  }
  return `from ${NAMESPACE}:accessToken (stack config, ${entry.secret ? "encrypted" : "in plain text"})`;
}

function settingRows(settings: Settings): [string, string][] {
  const { workspaceId, accountSid, clearWith, onMismatch, requestTimeout, deadline, attempts, concurrency } = settings;
  return [
    ["workspace", workspaceId === undefined ? "no default" : String(workspaceId)],
    ["account", accountSid === undefined ? "no default" : accountSid],
    ["clearing", clearWith === "auto" ? "auto: null, then empty, then omission" : clearWith],
    ["mismatch", onMismatch ?? "error for inbound agents and failed imports, warning for the rest"],
    ["limits", `${requestTimeout} s an attempt, ${deadline} s in all, ${attempts} attempts, ${concurrency} at once`],
    ["guards", guardText(settings)],
    ["header names", headerText(settings)],
  ];
}

function guardText({ guards, bypass }: Settings): string {
  const { weightTotal, maxShift, steps, requireVersions, approvedAgents, maxUnapproved, maxRemove, freeze } = guards;
  const set: Readonly<Record<Exclude<keyof Guards, "maxUnapproved">, string>> = {
    weightTotal: weightTotal === undefined ? "" : `weightTotal ${weightTotal}`,
    maxShift: maxShift === undefined ? "" : `maxShift ${maxShift} points`,
    steps: steps === undefined ? "" : `steps ${steps.join(", ")}`,
    requireVersions: requireVersions ? "requireVersions" : "",
    approvedAgents:
      approvedAgents === undefined ? "" : `approvedAgents ${some(approvedAgents)}, others at most ${maxUnapproved} %`,
    maxRemove: `maxRemove ${maxRemove ?? "the larger of 5 and 5 %"}`,
    freeze: freeze === undefined ? "" : `freeze: "${printable(freeze)}"`,
  };
  const bypassed = bypass === undefined ? "" : `all bypassed by ${BYPASS_ENV}: "${printable(bypass)}"`;
  return [...Object.values(set), bypassed].filter(Boolean).join("; ");
}

function headerText(settings: Settings): string {
  const named = Object.values(CONTEXT_HEADERS)
    .filter((key) => settings[key] !== undefined)
    .map((key) => `${key} ${settings[key]}`);
  return named.length === 0 ? "none: voices with an actor type are refused" : named.join(", ");
}

/** Keys of the stack's config that nothing reads. A misspelt guard guards nothing. */
function misspelt(config: StackConfig | undefined): Finding[] {
  const prefix = `${NAMESPACE}:`;
  const keys = Object.keys(config ?? {}).filter((key) => key.startsWith(prefix));
  return unknownSettings(keys.map((key) => key.slice(prefix.length))).map(({ key, meant }) => ({
    code: "AGP-015",
    what: printable(`${prefix}${key} is not a setting, and nothing reads it.`),
    todo: printable(
      `${meant === undefined ? "" : `did you mean ${prefix}${meant}? Set that, and `}run \`pulumi config rm ${prefix}${key}\`.`,
    ),
  }));
}

/** Pulumi's YAML drops a resource in silence that has the name of a key of the config, and a run deletes it. */
const dropped = (config: StackConfig | undefined, io: Io): Finding[] =>
  droppedResources(io.cwd, Object.keys(config ?? {})).map((name) => ({
    what: printable(
      `Pulumi leaves the resource "${name}" out of this program, because a key of the config has its name. A run clears its numbers.`,
    ),
    todo: `rename the key of the config. If you rename the resource, give it \`aliases\`.`,
  }));

const DISABLED = "pulumi:disable-default-providers";
const OWN_PROVIDERS: readonly unknown[] = ["*", "pulumi-nodejs", NAMESPACE];

/** The resources have the default provider of their language. The engine refuses each of them without it. */
function isProviderDisabled(config: StackConfig | undefined): boolean {
  const names = parseJson(config?.[DISABLED]?.value ?? "");
  return Array.isArray(names) && names.some((name) => OWN_PROVIDERS.includes(name));
}

const PROVIDER_DISABLED: Finding = {
  what: `${DISABLED} disables the provider of this package, so Pulumi refuses each of its resources.`,
  todo: `list the other packages there, without ${OWN_PROVIDERS.join(", ")}.`,
};

const PLAIN_TOKEN: Finding = {
  what: "the access token is in the stack's config file in plain text.",
  todo: `create a new token, and store it with \`pulumi config set --secret ${NAMESPACE}:accessToken\` or in ${TOKEN_ENV}.`,
};

const BYPASSED_GUARDS: Finding = {
  what: `${BYPASS_ENV} is set: every guard is bypassed.`,
  todo: "unset it; it is meant for one run.",
};
