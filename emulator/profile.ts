import { InvalidArgument } from "./errors";

/**
 * A profile describes a possible platform: its switches decide everything that the interface (docs/interface.md) leaves
 * open.
 */

/** Every switch and its values, starting with the default. */
const SWITCHES = {
  /**
   * What happens to fields that a PUT leaves out: they keep their values (`merge`) or are cleared (`replace`). The
   * provider relies on neither: it explicitly clears a field that it has set before, and doesn't send one that it never
   * set (docs/assumptions.md, row 2).
   */
  omittedFields: ["merge", "replace"],
  /**
   * Which value clears the inbound agents: null, an empty list, either of them (`any`) or neither (`none`). The
   * provider's setting `clearWith` decides which of them the provider sends (docs/assumptions.md, row 3).
   */
  clearInbound: ["any", "null", "empty", "none"],
  /**
   * Which value clears a field other than the inbound agents, such as the outbound agent: null, an empty string, either
   * of them (`any`) or neither (`none`). Here too, `clearWith` decides which of them the provider sends
   * (docs/assumptions.md, row 3).
   */
  clearOthers: ["any", "null", "empty", "none"],
  /**
   * What the platform does with a value that is meant to clear a field but doesn't: it refuses the whole PUT, or
   * ignores the value and leaves the field as it was (docs/assumptions.md, row 3).
   */
  notClearing: ["refused", "ignored"],
  /**
   * The status of the response to a PUT that was applied. Only a 200 lets the provider verify the assignment. After a
   * 202, the change may still be pending, and a 204 has no body to compare (docs/assumptions.md, row 4).
   */
  putStatus: [200, 202, 204],
  /**
   * The value of the field `success` in the response to a PUT. `absent` leaves the field out. With `false`, the
   * platform refuses every PUT but still responds with a 200, which the provider must treat as a rejection
   * (docs/assumptions.md, row 5).
   */
  success: ["true", "false", "absent"],
  /**
   * The sum that the weights in a list of agents must have, unless the list is empty. The provider's guard
   * `weightTotal` can refuse a wrong sum before anything is sent (docs/assumptions.md, row 7).
   */
  weights: ["any", "sum100", "sum1"],
  /**
   * How responses show weights: as they were sent, or scaled to a sum of 1 or 100. A scaled split must not look like a
   * wrong one, so the provider compares percentages (docs/assumptions.md, row 8).
   */
  responseWeights: ["verbatim", "scaled1", "scaled100rounded"],
  /**
   * Whether a PUT accepts `outboundAgents`, a weighted list that the interface doesn't document as a request field. The
   * provider can send it with `extraFields` (docs/assumptions.md, row 10).
   */
  outboundAgents: ["ignored", "accepted"],
  /**
   * The records in the field `numbers` of the response to a PUT: only the assigned number's (`one`), those of other
   * numbers as well (`several`), or `none`. With `otherFormat`, the number in the record contains spaces. With
   * `baseNumberOnly`, the record has a `base_number` but no `number`. The provider must find the record of the number
   * that it assigned (docs/assumptions.md, row 11).
   */
  records: ["one", "several", "none", "otherFormat", "baseNumberOnly"],
  /**
   * How the platform treats an agent without `agent_version`: it accepts the agent, refuses the PUT (`required`), or
   * chooses the agent's latest version and shows it in responses (`latest`). The provider's guard `requireVersions`
   * refuses such an agent before anything is sent (docs/assumptions.md, row 14).
   */
  agentVersion: ["optional", "required", "latest"],
  /**
   * The value of `platform_import_error` in the response to a PUT. `trueWithMessage` also adds
   * `platform_import_error_message`. If the value is true, the provider reports an import error (docs/assumptions.md,
   * row 17).
   */
  importError: ["false", "true", "trueWithMessage"],
  /**
   * How the response to a PUT shows a field without a value: as null, or not at all. The interface doesn't specify
   * this, and the provider must recognize a cleared field either way.
   */
  unsetFields: ["null", "absent"],
  /**
   * How much of a voice or a chat the response to a POST contains: all fields, only the ID, or all fields except the
   * ID. If the ID of a new voice or chat is missing, the provider saves the resource as unresolved
   * (docs/assumptions.md, row 20).
   */
  postResponse: ["whole", "minimal", "withoutId"],
  /**
   * The response to ending a chat: the chat, or a 204 without a body. The provider accepts any 2xx that doesn't report
   * a failure (docs/assumptions.md, row 21).
   */
  endChat: ["chat", "noContent"],
  /**
   * The response to ending a chat that has already ended: the same as the first time (`again`), or an error with the
   * status 404, 409 or 410. The provider counts the chat as ended in each case (docs/assumptions.md, row 22).
   */
  endedChat: ["again", "404", "409", "410"],
  /**
   * How many requests per second the platform accepts before it responds with a 429. 0 means no limit. The provider
   * doesn't know the limit, so it slows down after each 429 (docs/assumptions.md, row 30).
   */
  rateLimit: [0, 10],
  /**
   * Whether a 429 has a Retry-After header. If it does, the provider waits for at least as long as the header asks
   * (docs/assumptions.md, row 30).
   */
  retryAfter: ["seconds", "absent"],
  /**
   * What happens if a PUT names an agent that does not exist (see `knownAgents`): the platform accepts the PUT, or
   * refuses it with a 404 or 422. If the platform refuses it, a test can detect a mistyped agent ID
   * (docs/assumptions.md, row 40).
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
 * Completes a profile with the defaults. Throws if a switch or value is unknown, because JavaScript tests and command
 * lines aren't type-checked, and a typo would silently test the default.
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
