import type * as z from "zod";
import { parseJson } from "../common/equality";
import { pathText } from "../common/schemas";
import { parseBaseUrl } from "../platform/endpoint";
import {
  BASE_URL_ENV,
  BYPASS_ENV,
  CLIENT_KEYS,
  type Environment,
  GUARD_KEYS,
  type Guards,
  NAMESPACE,
  SETTINGS,
  type SettingRow,
  type Settings,
  TOKEN_ENV,
  TOKEN_SOURCES,
  type TokenSource,
} from "./settings";

export type SettingsRead = { settings: Settings } | { problems: SettingProblem[] };

export interface SettingProblem {
  readonly code: "AGP-010" | "AGP-012" | "AGP-013" | "AGP-015";
  /** The key of the setting, if its value is wrong. */
  readonly key?: string | undefined;
  readonly text: string;
}

export interface SettingsSource {
  get(key: string): unknown;
  readonly env: Environment;
}

export function readSettings(source: SettingsSource): SettingsRead {
  const { env } = source;
  const problems: SettingProblem[] = [];
  const values = readValues(source, problems);
  const base = readBaseUrl(values.baseUrl, env, problems);
  const token = readToken(env, values.accessToken, problems);
  if (base === undefined || problems.length > 0) {
    return { problems };
  }
  const others = { endpoint: base, guards: picked(values, GUARD_KEYS) as Guards, bypass: nonBlank(env[BYPASS_ENV]) };
  return { settings: { ...(picked(values, CLIENT_KEYS) as Settings), baseUrl: base, ...token, ...others } };
}

const picked = (values: object, keys: readonly string[]): object =>
  Object.fromEntries(keys.map((key) => [key, Reflect.get(values, key)]));

function readValues(source: SettingsSource, problems: SettingProblem[]): Partial<Settings> {
  const values: Record<string, unknown> = {};
  for (const [key, row] of Object.entries<SettingRow>(SETTINGS)) {
    const raw = rawValue(key, row, source);
    // An empty text is an error for a guard. As "not set" it would turn the guard off, and no one would notice.
    const isSet = raw !== undefined && (raw !== "" || GUARD_KEYS.includes(key));
    values[key] = isSet ? readValue(key, row, raw, problems) : row.default;
  }
  return values;
}

/** readBaseUrl and readToken compare their settings with the environment. */
const rawValue = (key: string, { env }: SettingRow, source: SettingsSource): unknown =>
  (env === undefined || key === "baseUrl" || key === "accessToken" ? undefined : nonBlank(source.env[env])) ??
  source.get(key) ??
  undefined;

function readValue(key: string, { schema }: SettingRow, raw: unknown, problems: SettingProblem[]): unknown {
  const { data, error } = schema.safeParse(typed(raw, schema));
  for (const { path, message } of error?.issues ?? []) {
    problems.push({ code: "AGP-015", key, text: settingRule([key, ...path], message) });
  }
  return data;
}

/** `agent-platform:maxShift must be a number from 0 to 100.` The value is not shown: it may be a password in the wrong place. */
export const settingRule = (path: readonly PropertyKey[], rule: string): string =>
  `${NAMESPACE}:${pathText(path)} ${rule}.`;

/** A stack's config has only texts. A value of another type in its file is JSON there. */
function typed(raw: unknown, schema: z.ZodType): unknown {
  if (typeof raw !== "string" || schema.safeParse(raw).success) {
    return raw;
  }
  return parseJson(raw) ?? raw;
}

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
    refuse("AGP-012", `${BASE_URL_ENV} and ${NAMESPACE}:baseUrl name two different platforms.`);
  }
  return parsed.url;
}

/** The token is taken out of every response. A shorter one might be a part of an id or of a word, and would be taken out there as well. */
const TOKEN = /^[\u0021-\u007e]{8,}$/;

const NO_TOKEN =
  "The access token must be one line of at least 8 visible ASCII characters, without spaces and without the word Bearer.";

function readToken(env: Environment, config: string | undefined, problems: SettingProblem[]) {
  const fromEnv = nonBlank(env[TOKEN_ENV]);
  const tokenSource: TokenSource = fromEnv === undefined && config !== undefined ? "config" : "environment";
  // Files and secrets managers leave a newline at its end.
  const accessToken = (fromEnv ?? config)?.replace(/[\r\n]+$/, "");
  if (accessToken !== undefined && !TOKEN.test(accessToken)) {
    problems.push({ code: "AGP-013", text: `${TOKEN_SOURCES[tokenSource]}: ${NO_TOKEN}` });
  }
  return { accessToken, tokenSource };
}

const nonBlank = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;
