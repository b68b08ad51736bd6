/**
 * A profile describes one possible platform. Its switches decide everything that the interface leaves open. "Row"
 * refers to docs/assumptions.md, and "section" to docs/interface.md.
 */

/** Every switch with its values, the default first. Each comment also says why the provider cares. */
const SWITCHES = {
  /**
   * Row 2, section 4.1: what happens to fields that a PUT leaves out. The provider clears a field that it has set
   * before, and doesn't send one that it never set.
   */
  omittedFields: ["merge", "replace"],
  /**
   * Which value clears the inbound agents: null, an empty list, both or neither (row 3, section 4.1). The provider
   * sends the one that its setting `clearWith` selects.
   */
  clearInbound: ["any", "null", "empty", "none"],
  /** Which value clears any other field: null, an empty string, both or neither (row 3, section 4.1). */
  clearOthers: ["any", "null", "empty", "none"],
  /** Row 3, section 4.1: what happens if a PUT tries to clear a field with a value that doesn't clear it. */
  notClearing: ["refused", "ignored"],
  /**
   * Row 4, section 4.1: the status of an applied PUT. A 204 has no body, so the provider can't verify the assignment.
   */
  putStatus: [200, 202, 204],
  /**
   * Row 5, section 4.1: the field `success`. With `false`, the platform refuses every PUT but still responds with a
   * 2xx, which the provider must treat as a rejection.
   */
  success: ["true", "false", "absent"],
  /**
   * Row 7, section 4.1: the required sum of a non-empty list's weights, which the provider's `weightTotal` setting can
   * enforce.
   */
  weights: ["any", "sum100", "sum1"],
  /** The scale of weights in responses (row 8, section 2.1). The provider compares percentages. */
  responseWeights: ["verbatim", "scaled1", "scaled100rounded"],
  /**
   * Row 10, section 4.1: whether PUT accepts the undocumented field `outboundAgents`, a weighted list. The provider can
   * send it with `extraFields`.
   */
  outboundAgents: ["ignored", "accepted"],
  /**
   * The records in `numbers`, and the format of the number in them (row 11, section 2.2). The provider must find the
   * record of its own number.
   */
  records: ["one", "several", "none", "otherFormat", "baseNumberOnly"],
  /**
   * The handling of an agent without `agent_version` (row 14, section 2.1). With `latest`, the platform chooses a
   * version and returns it. The provider's setting `requireVersions` demands versions.
   */
  agentVersion: ["optional", "required", "latest"],
  /** Row 17, section 2.2: the field `platform_import_error`, which the provider reports as an error. */
  importError: ["false", "true", "trueWithMessage"],
  /**
   * The form of an unset field in a record, which section 2.2 does not specify. The provider uses it to recognize a
   * cleared field.
   */
  unsetFields: ["null", "absent"],
  /**
   * Which fields a response returns for a new voice or chat (row 20, section 2.4). If the ID is missing, the provider
   * saves the resource as unresolved.
   */
  postResponse: ["whole", "minimal", "withoutId"],
  /** Row 21, section 4.4: the response to ending a chat. The provider accepts any 2xx. */
  endChat: ["chat", "noContent"],
  /** Row 22, section 4.4: the response to ending a chat that has already ended. The provider counts it as ended. */
  endedChat: ["again", "404", "409", "410"],
  /** Row 30, section 8: requests per second before a 429, from which the client learns its rate. 0 means no limit. */
  rateLimit: [0, 10],
  /** Row 30, section 8: whether a 429 has a Retry-After header, which the client obeys. */
  retryAfter: ["seconds", "absent"],
  /**
   * Row 40, section 4.1: what happens to an agent that does not exist (see `knownAgents`), so that a test can detect a
   * typo.
   */
  unknownAgents: ["accept", "404", "422"],
} as const;

type SwitchName = keyof typeof SWITCHES;

/** How the platform behaves where the interface does not specify it. */
export type Profile = { readonly [Name in Exclude<SwitchName, "rateLimit">]: (typeof SWITCHES)[Name][number] } & {
  /** 0 for no limit, or at least 1. A smaller number would refuse every request with a 429. */
  readonly rateLimit: number;
  /**
   * Row 40: `agent` or `agent@version`. If empty, every agent exists except those whose ID starts with `agent_missing`.
   */
  readonly knownAgents: readonly string[];
};

/** The switches that differ from the default profile. */
export type ProfileChoice = Readonly<Partial<Profile>>;

/** A switch, as listed for tests and the command's help. */
export interface Switch {
  /** The profile's field. */
  readonly name: SwitchName;
  /** The values, default first. For `rateLimit` these are examples. */
  readonly values: readonly (string | number)[];
}

export const switches = Object.entries(SWITCHES).map(([name, values]) => ({ name, values })) as readonly Switch[];

/** The most common behavior for an API of this kind. */
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
      throw new Error(`Switch "${name}" does not exist.`);
    }
    const { values = [] } = switches.find((entry) => entry.name === name) ?? {};
    if (!isValue(name, value, values)) {
      throw new Error(`Switch ${name} must be ${TAKES[name] ?? values.join(" or ")}, not ${JSON.stringify(value)}.`);
    }
  }
  return { ...defaultProfile, ...profile };
}

const TAKES: Readonly<Record<string, string>> = { rateLimit: "0 or a number from 1", knownAgents: "a list of agents" };

function isValue(name: string, value: unknown, values: Switch["values"]): boolean {
  if (name === "rateLimit") {
    return typeof value === "number" && (value === 0 || value >= 1);
  }
  return name === "knownAgents" ? Array.isArray(value) : values.some((possible) => possible === value);
}
