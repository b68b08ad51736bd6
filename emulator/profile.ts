/**
 * One reading of the platform's interface. If it is silent, a switch here says what this platform does; the rows are those of
 * docs/assumptions.md, the sections those of docs/interface.md.
 */

/** Every switch with its values, the default first, and with the rule of the provider that needs it. */
const SWITCHES = {
  /** Row 2, section 4.1: what a field that the PUT leaves out means. A field that was set is cleared, one that never was is not sent. */
  omittedFields: ["merge", "replace"],
  /** Row 3, section 4.1: which value clears the inbound agents: null, an empty list, either, or neither. `clearWith` says which one is sent. */
  clearInbound: ["any", "null", "empty", "none"],
  /** Row 3, section 4.1: the same for every other field, whose empty value is an empty string. */
  clearOthers: ["any", "null", "empty", "none"],
  /** Row 3, section 4.1: what a value does that should clear a field and doesn't. */
  notClearing: ["refused", "ignored"],
  /** Row 4, section 4.1: the status of a PUT that was applied; 204 has no body, so the assignment is not verified. */
  putStatus: [200, 202, 204],
  /** Row 5, section 4.1: the field `success`; `false` refuses every PUT with a 2xx, which is a rejection. */
  success: ["true", "false", "absent"],
  /** Row 7, section 4.1: what the weights of a non-empty list must satisfy, because a setting says their total. */
  weights: ["any", "sum100", "sum1"],
  /** Row 8, section 2.1: how the response shows the weights; percentages are compared. */
  responseWeights: ["verbatim", "scaled1", "scaled100rounded"],
  /** Row 10, section 4.1: whether the undeclared request field `outboundAgents` assigns weighted outbound agents: `extraFields` sends it. */
  outboundAgents: ["ignored", "accepted"],
  /** Row 11, section 2.2: which records `numbers` holds, and how the number is written in them: one of them is taken for ours. */
  records: ["one", "several", "none", "otherFormat", "baseNumberOnly"],
  /** Row 14, section 2.1: an entry without `agent_version`, because a setting requires it; the response of `latest` has a version. */
  agentVersion: ["optional", "required", "latest"],
  /** Row 17, section 2.2: the field `platform_import_error`, which is an error of ours. */
  importError: ["false", "true", "trueWithMessage"],
  /** Section 2.2 (which fields are present is not shown): how an unset field of a record is written, by which a clear is known. */
  unsetFields: ["null", "absent"],
  /** Row 20, section 2.4: how much of a voice or a chat the response shows; without its identifier it is unresolved. */
  postResponse: ["whole", "minimal", "withoutId"],
  /** Row 21, section 4.4: the response to the end of a chat; any 2xx ends it. */
  endChat: ["chat", "noContent"],
  /** Row 22, section 4.4: the end of a chat that is already ended, which counts as ended. */
  endedChat: ["again", "404", "409", "410"],
  /** Row 30, section 8: requests in one second before 429, by which the client learns its rate; 0 = no limit. */
  rateLimit: [0, 10],
  /** Row 30, section 8: whether a 429 says when to come back, which the client waits for. */
  retryAfter: ["seconds", "absent"],
  /** Row 40, section 4.1: an agent that does not exist (see `knownAgents`), so that a test finds a misspelt one. */
  unknownAgents: ["accept", "404", "422"],
} as const;

type SwitchName = keyof typeof SWITCHES;

/** What the platform does if its interface is silent. */
export type Profile = { readonly [Name in Exclude<SwitchName, "rateLimit">]: (typeof SWITCHES)[Name][number] } & {
  /** 0, or any number from 1: with less, every request would get a 429. */
  readonly rateLimit: number;
  /** Row 40: `agent` or `agent@version`. Empty: every agent exists but those whose id starts with `agent_missing`. */
  readonly knownAgents: readonly string[];
};

/** The switches that differ from the default profile. */
export type ProfileChoice = Readonly<Partial<Profile>>;

/** One switch of a profile, as tests and the command read it. */
export interface Switch {
  /** The field of the profile. */
  readonly name: SwitchName;
  /** The default first. Of `rateLimit`, those that are worth trying. */
  readonly values: readonly (string | number)[];
}

export const switches = Object.entries(SWITCHES).map(([name, values]) => ({ name, values })) as readonly Switch[];

/** The reading that is most usual for an interface of this kind. */
export const defaultProfile = {
  ...Object.fromEntries(switches.map(({ name, values }) => [name, values[0]])),
  knownAgents: [],
} as unknown as Profile;

/**
 * The whole profile for the switches that differ from the default one. Tests in JavaScript and command lines have no types, and a misspelt
 * switch would silently test the default: it throws.
 */
export function resolveProfile(profile: ProfileChoice = {}): Profile {
  for (const [name, value] of Object.entries(profile)) {
    if (!Object.hasOwn(defaultProfile, name)) {
      throw new Error(`Switch "${name}" does not exist.`);
    }
    const { values = [] } = switches.find((entry) => entry.name === name) ?? {};
    if (!isValue(name, value, values)) {
      throw new Error(`Switch ${name} takes ${TAKES[name] ?? values.join(", ")}; not ${JSON.stringify(value)}.`);
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
