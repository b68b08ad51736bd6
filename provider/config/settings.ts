import * as z from "zod";
import { optional, pathText } from "../base/arguments";
import { parseJson } from "../base/json";
import { flag, integer, natural, objectOf, percent, plainText, positive } from "../base/schemas";
import { parseUrl } from "../base/text";
import { writtenAgent } from "../routing/inboundAgents";
import { rollouts } from "../routing/rollout";
import { CLEAR_MODES } from "../routing/routing";
import { CLIENT_KEYS, type ClientKey, GUARD_KEYS, type GuardKey, NAMESPACE } from "./keys";

export interface Environment {
  readonly [name: string]: string | undefined;
}

export const BASE_URL_ENV = "AGENT_PLATFORM_BASE_URL";

export const TOKEN_ENV = "AGENT_PLATFORM_ACCESS_TOKEN";

export const BYPASS_ENV = "AGENT_PLATFORM_BYPASS";

/** The environment variable in which `abort --up` passes the name of the rollout to the single run that it starts. */
export const ABORT_ENV = "AGENT_PLATFORM_ABORT";

/** The longest `requestTimeout`: one day. */
const MAX_SECONDS = 86_400;

const SECONDS = `must be a number of seconds above 0 and at most ${MAX_SECONDS}`;

/**
 * A header name in the `voiceHeaders` setting. Any name that HTTP allows is accepted (RFC 9110, section 5.1), because
 * the platform's interface doesn't specify the names.
 */
const headerName = z.string({ error: "must be a string" }).regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, {
  error: "must be a header name: letters, digits, `-` and `_`, at most 100 characters",
});

export const CONTEXT_FIELDS = ["actorType", "providerScope", "workspaceContext"] as const;

export type VoiceHeaders = { readonly [Field in (typeof CONTEXT_FIELDS)[number]]?: string | undefined };

export const steps: z.ZodType<readonly number[]> = z
  .array(z.number({ error: "must be a number" }), { error: "must be a list of percentages, such as [1, 10, 50, 100]" })
  .superRefine((list, context) => {
    const isRising = list.every((step, index) => step > (list[index - 1] ?? 0));
    if (!isRising || list.at(-1) !== 100) {
      const found = list.join(", ") || "an empty list";
      context.addIssue({
        code: "custom",
        message: `must be a list of increasing percentages that starts above 0 and ends with 100; found ${found}`,
      });
    }
  });

export interface SettingRow {
  /** The schema of the value. A string that doesn't match the schema is parsed as JSON and checked again. */
  readonly schema: z.ZodType;
  readonly env?: string;
  readonly default?: string | number | boolean;
  readonly secret?: true;
  /** The description on the settings page. Guards have none, because docs/guards.md describes what they block. */
  readonly meaning?: string;
}

const CLIENT_SETTINGS = {
  baseUrl: {
    schema: z.string({ error: "must be a string" }),
    env: BASE_URL_ENV,
    meaning: "the address of the platform: an https URL, or an http URL on loopback",
  },
  accessToken: {
    schema: z.string({ error: "must be a string" }),
    env: TOKEN_ENV,
    secret: true,
    meaning: "the bearer token for all requests. A preview needs no token",
  },
  workspaceId: { schema: integer, meaning: "the workspace of every resource that does not set its own" },
  rollouts: {
    schema: rollouts,
    meaning:
      "a map from each rollout's name to its `stable`, `candidate` and `percent`, which `promote` and `abort` edit. The map cannot be secret",
  },
  clearWith: {
    schema: z.enum(CLEAR_MODES, { error: 'must be "null", "empty" or "omit"' }),
    env: "AGENT_PLATFORM_CLEAR_WITH",
    meaning:
      "how a PUT clears a field: with `null`, with an empty value (`empty`), or by leaving the field out (`omit`). By default, an empty list clears the inbound agents, and null clears any other field",
  },
  onMismatch: {
    schema: z.enum(["error", "warn"], { error: 'must be "error" or "warn"' }),
    default: "error",
    meaning:
      "whether a run fails (`error`) or only warns (`warn`) if a response shows inbound agents other than those requested, another number, an import error, or a field that should have been cleared",
  },
  requestTimeout: {
    schema: z.number({ error: SECONDS }).refine((value) => value > 0 && value <= MAX_SECONDS, { error: SECONDS }),
    env: "AGENT_PLATFORM_REQUEST_TIMEOUT",
    default: 30,
    meaning: `the time limit for one attempt of a request, in seconds (at most ${MAX_SECONDS})`,
  },
  voiceHeaders: {
    schema: objectOf(
      { actorType: optional(headerName), providerScope: optional(headerName), workspaceContext: optional(headerName) },
      "must be a map from actorType, providerScope and workspaceContext to header names",
    ) as z.ZodType<VoiceHeaders>,
    meaning:
      "a map from the voice arguments `actorType`, `providerScope` and `workspaceContext` to the names of their headers",
  },
} as const satisfies Record<ClientKey, SettingRow>;

const GUARDS = {
  weightTotal: { schema: positive },
  maxShift: { schema: percent },
  steps: { schema: steps },
  requireVersions: { schema: flag, default: false },
  approvedAgents: {
    schema: z.array(writtenAgent, { error: "must be a list of agents, such as [agent_front@12, agent_night@4]" }),
  },
  maxUnapproved: { schema: percent, default: 0 },
  maxRemove: { schema: natural },
  freeze: { schema: plainText },
} as const satisfies Record<GuardKey, SettingRow>;

/** All settings. Validation, messages and the tables in the documentation are generated from this object. */
export const SETTINGS = { ...CLIENT_SETTINGS, ...GUARDS };

/** The values of the settings. A setting with a default always has a value; any other may be undefined. */
type SettingValues<Rows extends Record<string, SettingRow>> = {
  readonly [Key in keyof Rows as Rows[Key] extends { default: unknown } ? Key : never]: z.infer<Rows[Key]["schema"]>;
} & {
  readonly [Key in keyof Rows as Rows[Key] extends { default: unknown } ? never : Key]?:
    | z.infer<Rows[Key]["schema"]>
    | undefined;
};

export type Guards = SettingValues<typeof GUARDS>;

/** The possible sources of the access token, in the wording that messages use. */
export const TOKEN_SOURCES = {
  config: `${NAMESPACE}:accessToken (stack config)`,
  environment: `${TOKEN_ENV} (environment)`,
  state: "the saved state",
} as const;

export type TokenSource = keyof typeof TOKEN_SOURCES;

export interface Settings extends SettingValues<typeof CLIENT_SETTINGS> {
  readonly baseUrl: string;
  /** The origin and path of the base URL, by which a saved state identifies the platform. */
  readonly endpoint: string;
  readonly tokenSource: TokenSource;
  readonly guards: Guards;
  /** The reason given in AGENT_PLATFORM_BYPASS. If set, the guards are off for this run. */
  readonly bypass?: string | undefined;
  /**
   * The name of the rollout to abort, if this run was started by `abort --up`. Such a run sends the stable split to the
   * rollout's numbers and changes nothing else.
   */
  readonly aborts?: string | undefined;
}

export interface SettingProblem {
  readonly code: "AGP-010" | "AGP-012" | "AGP-013" | "AGP-015";
  /** The key of the setting whose value is invalid. Undefined for other problems, such as a missing base URL. */
  readonly key?: string | undefined;
  readonly text: string;
}

export interface SettingsSource {
  get(key: string): unknown;
  readonly env: Environment;
}

/**
 * Reads the settings. Returns their problems instead of throwing, because some commands can work even if a few settings
 * are wrong.
 */
export function readSettings(source: SettingsSource): { settings: Settings } | { problems: SettingProblem[] } {
  const { env } = source;
  const problems: SettingProblem[] = [];
  const values = readValues(source, problems);
  const base = readBaseUrl(values.baseUrl, env, problems);
  const token = readToken(env, values.accessToken, problems);
  if (base === undefined || problems.length > 0) {
    return { problems };
  }
  const derived = {
    endpoint: base,
    guards: picked(values, GUARD_KEYS) as Guards,
    bypass: bypassIn(env),
    aborts: nonBlank(env[ABORT_ENV]),
  };
  return { settings: { ...(picked(values, CLIENT_KEYS) as Settings), baseUrl: base, ...token, ...derived } };
}

/**
 * Reads only the guards, for commands that judge a change but send nothing. An invalid guard counts as not set here;
 * the provider itself refuses to run with one.
 */
export const readGuards = (get: SettingsSource["get"]): Guards =>
  picked(readValues({ get, env: {} }, []), GUARD_KEYS) as Guards;

const picked = (values: object, keys: readonly string[]): object =>
  Object.fromEntries(keys.map((key) => [key, Reflect.get(values, key)]));

function readValues(source: SettingsSource, problems: SettingProblem[]): Partial<Settings> {
  const values: Record<string, unknown> = {};
  for (const [key, row] of Object.entries<SettingRow>(SETTINGS)) {
    // Skip the environment variables for the base URL and the token here, because readBaseUrl and readToken read them.
    const isCompared = key === "baseUrl" || key === "accessToken";
    const fromEnv = row.env === undefined || isCompared ? undefined : nonBlank(source.env[row.env]);
    const raw = fromEnv ?? source.get(key) ?? undefined;
    // Treat an empty string as not set. For a guard, however, it is an error, because the guard would silently be off.
    const isSet = raw !== undefined && (raw !== "" || GUARD_KEYS.includes(key));
    values[key] = (isSet ? readValue(key, row, raw, fromEnv && row.env, problems) : undefined) ?? row.default;
  }
  return values;
}

/**
 * Reads the value of one setting. Stack config holds only strings, so a value of another type is stored there as JSON.
 * @param env the environment variable that the value comes from. Undefined if it comes from the config.
 */
function readValue(
  key: string,
  { schema }: SettingRow,
  raw: unknown,
  env: string | undefined,
  problems: SettingProblem[],
): unknown {
  const isJson = typeof raw === "string" && !schema.safeParse(raw).success;
  const { data, error } = schema.safeParse(isJson ? (parseJson(raw) ?? raw) : raw);
  for (const { path, message } of error?.issues ?? []) {
    problems.push({ code: "AGP-015", key, text: env ? `${env} ${message}.` : settingRule([key, ...path], message) });
  }
  return data;
}

/**
 * Returns a message such as `agent-platform:maxShift must be a number from 0 to 100.` Omits the value, which may be a
 * misplaced password.
 */
export const settingRule = (path: readonly PropertyKey[], rule: string): string =>
  `${NAMESPACE}:${pathText(path)} ${rule}.`;

function readBaseUrl(config: string | undefined, env: Environment, problems: SettingProblem[]): string | undefined {
  const fromEnv = nonBlank(env[BASE_URL_ENV]);
  const text = config ?? fromEnv;
  const refuse = (code: SettingProblem["code"], why: string) => void problems.push({ code, text: why });
  if (text === undefined) {
    return refuse("AGP-010", "the base URL of the platform is not set.");
  }
  const parsed = parseBaseUrl(text);
  if (parsed.url === undefined) {
    return refuse("AGP-010", `${config === undefined ? BASE_URL_ENV : `${NAMESPACE}:baseUrl`}: ${parsed.problem}`);
  }
  if (fromEnv !== undefined && config !== undefined && parseBaseUrl(fromEnv).url !== parsed.url) {
    refuse("AGP-012", `${BASE_URL_ENV} and ${NAMESPACE}:baseUrl point to two different platforms.`);
  }
  return parsed.url;
}

/**
 * Whether the text can be an access token. We remove the token from every response, and a shorter one could occur
 * inside an ID or a word.
 */
export const isToken = (text: string): boolean => /^[\u0021-\u007e]{8,}$/.test(text);

export const TOKEN_RULE =
  "The access token must be one line of at least 8 visible ASCII characters, without spaces and without the word Bearer.";

function readToken(env: Environment, config: string | undefined, problems: SettingProblem[]) {
  const fromEnv = nonBlank(env[TOKEN_ENV]);
  const tokenSource: TokenSource = fromEnv === undefined && config !== undefined ? "config" : "environment";
  // Drop a newline at the end, because secrets that were read from a file often end with one.
  const accessToken = (fromEnv ?? config)?.replace(/[\r\n]+$/, "");
  if (accessToken !== undefined && !isToken(accessToken)) {
    problems.push({ code: "AGP-013", text: `${TOKEN_SOURCES[tokenSource]}: ${TOKEN_RULE}` });
  }
  return { accessToken, tokenSource };
}

/** The operator's reason for bypassing the guards in this run. Undefined if missing or blank. */
export const bypassIn = (env: Environment): string | undefined => nonBlank(env[BYPASS_ENV]);

const nonBlank = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

/**
 * @param hostname the host name of a parsed `URL`, which always spells addresses such as 127.1 and 0x7f000001 as
 * 127.0.0.1
 */
export function isLoopbackHost(hostname: string): boolean {
  // Match the whole address, because a host name such as `127.0.0.1.example.com` also starts with `127.`.
  return /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === "[::1]" || hostname === "localhost";
}

/**
 * Parses the platform's base URL. The returned `url` has no trailing slash, so that paths can be appended. `problem`
 * never quotes anything that may be a password.
 */
export function parseBaseUrl(
  input: string,
): { url: string; problem?: undefined } | { problem: string; url?: undefined } {
  const text = input.trim();
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return { problem: "The base URL must be https://host or https://host/path (http:// only on loopback)." };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      problem: "The base URL must not contain a user name or password. The access token is a separate setting.",
    };
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    return {
      problem:
        "The base URL must use https. With http, which is accepted only on loopback, the token would be sent unencrypted.",
    };
  }
  // Refuse a query, a fragment, and anything that parsing would change, such as `..`. Requests then go to exactly the
  // address that reviewers see in the config.
  const read = url.origin + url.pathname.replace(/\/+$/, "");
  return text.replace(/\/+$/, "") === read ? { url: read } : { problem: `The base URL must be written as ${read}.` };
}
