import { InvalidArgument } from "./errors";

/**
 * A profile describes a possible platform: its switches decide everything that the interface (docs/interface.md) leaves
 * open.
 */

/**
 * Every switch and its values, starting with the default. Row numbers refer to docs/assumptions.md, which says how the
 * provider deals with each question.
 */
const SWITCHES = {
  /**
   * Whether fields that a PUT leaves out keep their values (`merge`) or are cleared (`replace`). The provider relies on
   * neither (row 2).
   */
  omittedFields: ["merge", "replace"],
  /**
   * Which value clears the inbound agents: null, an empty list, either (`any`) or neither (`none`). The setting
   * `clearWith` tells the provider which one to send (row 3).
   */
  clearInbound: ["any", "null", "empty", "none"],
  /**
   * Which value clears any other field, such as the outbound agent: null, an empty string, either or neither (row 3).
   */
  clearOthers: ["any", "null", "empty", "none"],
  /** Whether the platform refuses a PUT if a value should clear a field but doesn't, or ignores that value (row 3). */
  notClearing: ["refused", "ignored"],
  /**
   * The status of the response to an applied PUT. The provider can verify only a 200: after a 202, the change may still
   * be pending, and a 204 has no body (row 4).
   */
  putStatus: [200, 202, 204],
  /**
   * The value of `success` in the response to a PUT. With `false`, the platform refuses every PUT, but still responds
   * with a 200 (row 5).
   */
  success: ["true", "false", "absent"],
  /**
   * The sum that the weights in a list must have, unless the list is empty. The guard `weightTotal` can refuse a wrong
   * sum before anything is sent (row 7).
   */
  weights: ["any", "sum100", "sum1"],
  /**
   * How responses show weights: as they were sent, or scaled to a sum of 1 or 100. The provider must not take a scaled
   * split for a wrong one (row 8).
   */
  responseWeights: ["verbatim", "scaled1", "scaled100rounded"],
  /**
   * Whether a PUT accepts `outboundAgents`, a list that isn't a documented request field. The provider can send it with
   * `extraFields` (row 10).
   */
  outboundAgents: ["ignored", "accepted"],
  /**
   * The records in `numbers` in the response to a PUT. The provider must find the assigned number's record (row 11).
   * - `several`: includes records of other numbers
   * - `otherFormat`: the number in the record contains spaces
   * - `baseNumberOnly`: the record has a `base_number` but no `number`
   */
  records: ["one", "several", "none", "otherFormat", "baseNumberOnly"],
  /**
   * How the platform treats an agent without `agent_version`. `required` refuses the PUT. `latest` picks the latest
   * version, which responses then show (row 14).
   */
  agentVersion: ["optional", "required", "latest"],
  /**
   * The value of `platform_import_error` in the response to a PUT. `trueWithMessage` also adds
   * `platform_import_error_message` (row 17).
   */
  importError: ["false", "true", "trueWithMessage"],
  /**
   * How the response to a PUT shows a field without a value: as null, or not at all. The provider must recognize a
   * cleared field either way.
   */
  unsetFields: ["null", "absent"],
  /**
   * Which fields of a new voice or chat the response to a POST contains: all of them, only the ID, or all except the
   * ID. Without an ID, the resource is unresolved (row 20).
   */
  postResponse: ["whole", "minimal", "withoutId"],
  /**
   * The response to ending a chat: the chat, or a 204 without a body. The provider accepts any 2xx that doesn't report
   * a failure (row 21).
   */
  endChat: ["chat", "noContent"],
  /**
   * The response to ending a chat that has already ended: the same as before (`again`), or a 404, 409 or 410. The
   * provider counts it as ended in each case (row 22).
   */
  endedChat: ["again", "404", "409", "410"],
  /**
   * How many requests per second the platform accepts, or 0 for no limit. The provider doesn't know the limit, so it
   * slows down after each 429 (row 30).
   */
  rateLimit: [0, 10],
  /** Whether a 429 has a Retry-After header. If so, the provider waits at least as long as the header says (row 30). */
  retryAfter: ["seconds", "absent"],
  /**
   * Whether the platform accepts an agent that doesn't exist (see `knownAgents`), or refuses the PUT with a 404 or 422
   * (row 40).
   */
  unknownAgents: ["accept", "404", "422"],
} as const;

type SwitchName = keyof typeof SWITCHES;

/** How the platform behaves where the interface does not specify it. */
export type Profile = { readonly [Name in Exclude<SwitchName, "rateLimit">]: (typeof SWITCHES)[Name][number] } & {
  /**
   * How many requests per second the platform accepts. 0 means no limit. A value between 0 and 1 is invalid, because
   * every request would then get a 429.
   */
  readonly rateLimit: number;
  /**
   * The agents that exist, each as `agent` or `agent@version`. If the list is empty, every agent exists except those
   * whose ID starts with `agent_missing`.
   */
  readonly knownAgents: readonly string[];
};

/** The switches whose values differ from the default profile. */
export type ProfileChoice = Readonly<Partial<Profile>>;

/** A switch, as listed for tests and the command's help. */
export interface Switch {
  /** The name of the switch, which is also the name of its field in a profile. */
  readonly name: SwitchName;
  /** The values, default first. For `rateLimit` these are examples. */
  readonly values: readonly (string | number)[];
}

export const switches = Object.entries(SWITCHES).map(([name, values]) => ({ name, values })) as readonly Switch[];

/** The profile in which every switch has its first value, which is the most common behavior for an API of this kind. */
export const defaultProfile = {
  ...Object.fromEntries(switches.map(({ name, values }) => [name, values[0]])),
  knownAgents: [],
} as unknown as Profile;

/**
 * Completes a profile with the defaults. Throws if a switch or value is unknown: command lines aren't type-checked, and
 * a typo would silently test the default.
 */
export function resolveProfile(profile: ProfileChoice = {}): Profile {
  for (const [name, value] of Object.entries(profile)) {
    if (!Object.hasOwn(defaultProfile, name)) {
      throw new InvalidArgument(`Switch "${name}" does not exist.`);
    }
    const { values = [] } = switches.find((entry) => entry.name === name) ?? {};
    if (!isValue(name, value, values)) {
      throw new InvalidArgument(
        `Switch ${name} must be ${TAKES[name] ?? values.join(" or ")}, not ${JSON.stringify(value)}.`,
      );
    }
  }
  return { ...defaultProfile, ...profile };
}

const TAKES: Readonly<Record<string, string>> = { rateLimit: "0, or 1 or more", knownAgents: "a list of agents" };

function isValue(name: string, value: unknown, values: Switch["values"]): boolean {
  if (name === "rateLimit") {
    return typeof value === "number" && (value === 0 || value >= 1);
  }
  return name === "knownAgents" ? Array.isArray(value) : values.some((possible) => possible === value);
}
