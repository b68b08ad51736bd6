import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { printable } from "../../../provider/core/common/redact";
import { readSettings, type SettingProblem } from "../../../provider/core/config/readSettings";
import {
  BASE_URL_ENV,
  BYPASS_ENV,
  NAMESPACE,
  TOKEN_ENV,
  unknownSettings,
} from "../../../provider/core/config/settings";
import type { Io } from "../../io";
import { present } from "../../lists";
import type { StackConfig } from "../../pulumi/config";
import { droppedResources, programFolder } from "../../pulumi/projectFile";
import type { Finding } from "./findings";

/** A text in place of an encrypted token, which the rules for tokens accept. It is never shown. */
const ENCRYPTED = "encrypted";
const NO_BASE_URL = "https://base-url.invalid";

/** Judges the settings that a run would use, from the environment and from the config of a stack. */
export function settingsUsed(config: StackConfig, io: Io) {
  const entry = (key: string) => config[`${NAMESPACE}:${key}`];
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
  return {
    findings: present<Finding>([
      !isBaseUrlSet && baseUrlMissing,
      ...("problems" in read ? read.problems : []).map(problemFound),
      ...misspelt(config),
      ...dropped(config, io),
      token !== undefined && !token.secret && PLAIN_TOKEN,
      Boolean(io.env[BYPASS_ENV]) && BYPASSED_GUARDS,
    ]),
    /** The platform that a run would send to; undefined if no setting names one. */
    endpoint: isBaseUrlKnown && "settings" in read ? read.settings.endpoint : undefined,
  };
}

const problemFound = ({ code, text }: SettingProblem): Finding => ({
  code,
  what: printable(text),
  todo: "fix the setting.",
});

const baseUrlMissing: Finding = {
  code: "AGP-010",
  what: "the base URL of the platform is not set.",
  todo: `\`pulumi config set ${NAMESPACE}:baseUrl https://…\`, or set ${BASE_URL_ENV}.`,
};

/** Keys of the stack's config that nothing reads. A misspelt guard guards nothing. */
function misspelt(config: StackConfig): Finding[] {
  const prefix = `${NAMESPACE}:`;
  const keys = Object.keys(config).filter((key) => key.startsWith(prefix));
  return unknownSettings(keys.map((key) => key.slice(prefix.length))).map(({ key, meant }) => ({
    code: "AGP-015",
    what: printable(`${prefix}${key} is not a setting, and nothing reads it.`),
    todo: printable(
      `${meant === undefined ? "" : `did you mean ${prefix}${meant}? Set that, and `}run \`pulumi config rm ${prefix}${key}\`.`,
    ),
  }));
}

/** Pulumi's YAML drops a resource in silence that has the name of a key of the config, and a run deletes it. */
const dropped = (config: StackConfig, io: Io): Finding[] =>
  droppedResources(io.cwd, Object.keys(config)).map((name) => ({
    what: printable(
      `Pulumi leaves the resource "${name}" out of this program, because a key of the config has its name. A run clears its numbers.`,
    ),
    todo: `rename the key of the config. If you rename the resource, give it \`aliases\`.`,
  }));

const PLAIN_TOKEN: Finding = {
  what: "the access token is in the stack's config file in plain text.",
  todo: `create a new token, and store it with \`pulumi config set --secret ${NAMESPACE}:accessToken\` or in ${TOKEN_ENV}.`,
};

const BYPASSED_GUARDS: Finding = {
  what: `${BYPASS_ENV} is set: every guard is bypassed.`,
  todo: "unset it; it is meant for one run.",
};
