/**
 * One reading of the platform's interface. If it is silent, a switch here says what this platform does; the rows are those of
 * docs/assumptions.md, the sections those of docs/interface.md.
 */

interface Entry<Value> {
  readonly standard: Value;
}

/** A switch with a value for each reading. */
interface Choice<Value extends string | number = string | number> extends Entry<Value> {
  /** The row of the table of assumptions; undefined if no row has this switch. */
  readonly row: number | undefined;
  /** The section of the interface that is silent. */
  readonly section: string;
  /** Every value, the default first. */
  readonly values: readonly Value[];
  /** Any number from 0 is a value; those listed are worth trying. */
  readonly open?: true;
  /** What a value's own profile sets besides, if the value alone would show nothing. */
  readonly along?: Readonly<Record<string, string | number>>;
}

const choice = <const Values extends readonly [string | number, ...(string | number)[]]>(
  row: number | undefined,
  section: string,
  values: Values,
  along?: Choice["along"],
): Choice<Values[number]> & { readonly values: Values } => ({
  standard: values[0],
  row,
  section,
  values,
  ...(along !== undefined && { along }),
});

const amount = <const Values extends readonly [number, ...number[]]>(row: number, section: string, values: Values) => ({
  standard: values[0] as number,
  row,
  section,
  values,
  open: true as const,
});

/** What a switch works with, such as the agents that exist: no reading of its own. */
const parameter = <Value extends number | string | readonly string[]>(standard: Value): Entry<Value> => ({ standard });

/** Every switch and parameter once: the type of a profile, its default, its named values and their checks come from here. */
const TABLE = {
  /** Row 1, section 4.1: which fields of the PUT the platform refuses to go without. */
  requiredFields: choice(1, "4.1", ["none", "accountSid", "workspaceId", "accountSid+workspaceId"]),
  /** Row 2, section 4.1: what a field that the PUT leaves out means. */
  omittedFields: choice(2, "4.1", ["merge", "replace"]),
  /**
   * Row 3, section 4.1: which written form removes a binding. A form that does not clear is ignored: the binding stays and the
   * response is a success. `nullRefused` and `emptyRefused` refuse that one form as invalid and let the other one clear.
   * `omit` means that a field left out is cleared, whatever `omittedFields` says.
   */
  clears: choice(3, "4.1", ["any", "null", "empty", "omit", "nullRefused", "emptyRefused"]),
  /** Row 4, section 4.1: the status of a PUT that was applied; 204 has no body. */
  putStatus: choice(4, "4.1", [200, 201, 202, 204]),
  /** Row 4, section 4.1: how much of the response a PUT that was applied shows. */
  putBody: choice(4, "4.1", ["whole", "successOnly", "none"]),
  /**
   * Row 5, section 4.1: the field `success`. `false` refuses every PUT with a 2xx; `falseOnRefusal` answers what would be an error
   * status with a 2xx and `success: false`.
   */
  success: choice(5, "4.1", ["true", "false", "falseOnRefusal", "absent", "null"]),
  /** Row 6, sections 4.1 and 7: the statuses for an invalid request, an unknown thing and a broken constraint. */
  errorStatuses: choice(6, "4.1", ["400/404/422", "401/403/409"]),
  /** Row 6, section 7: what the body of a refused PUT looks like. */
  putErrorBody: choice(6, "7", ["error", "message", "text", "none", "html"]),
  /** Row 7, section 4.1: what the weights of a non-empty list must satisfy. */
  weights: choice(7, "4.1", ["any", "sum100", "sum1", "integers", "max2"]),
  /** Row 8, section 2.1: how the response shows the weights. */
  answerWeights: choice(8, "2.1", ["verbatim", "scaled1", "scaled100rounded"]),
  /** Row 9, section 2.2: the order in which the response lists the agents. */
  answerOrder: choice(9, "2.2", ["asSent", "sorted", "reversed"]),
  /** Row 10, section 4.1: whether the undeclared request field `outboundAgents` binds weighted outbound agents. */
  outboundAgents: choice(10, "4.1", ["ignored", "accepted"]),
  /** Row 10, section 4.1: what happens to request fields that the interface does not name. */
  unknownFields: choice(10, "4.1", ["ignored", "refused"]),
  /** Row 11, section 2.2: which records `numbers` holds, and how the number is written in them. */
  records: choice(11, "2.2", ["one", "several", "none", "otherFormat", "baseNumberOnly"]),
  /** Row 11, section 2.3: whether the response holds `assignment`. */
  assignment: choice(11, "2.3", ["present", "absent"]),
  /** Row 12, sections 2.2 and 2.3: which response field mirrors the outbound agent. */
  outboundMirror: choice(12, "2.2", ["all", "agent_id", "default_agent_id", "outbound_agents", "none"]),
  /** Row 13, sections 2.2 and 2.3: which response fields mirror the inbound agents; `singleId` names the first one only. */
  inboundMirror: choice(13, "2.2", ["all", "inbound_agents", "singleId"]),
  /** Row 14, section 2.1: an entry without `agent_version`; `latest` answers with `latestVersion`. */
  agentVersion: choice(14, "2.1", ["optional", "required", "latest"]),
  /** Rows 14 and 19: the version that the platform takes if none was named. */
  latestVersion: parameter<number>(7),
  /** Row 16, section 4.1: whether a path may name an extension such as `4001` or `+15551234567#12`. */
  numberForms: choice(16, "4.1", ["any", "e164Only"]),
  /** Row 17, section 2.2: the field `platform_import_error`. */
  importError: choice(17, "2.2", ["false", "true", "trueWithMessage", "absent"]),
  /** Section 2.2 (which fields are present is not shown): how an unset field of a record is written. */
  unsetFields: choice(undefined, "2.2", ["null", "absent"]),
  /** Row 18, section 4.2: which fields a new chat cannot go without; `basic` is everything but metadata and variables. */
  chatRequires: choice(18, "4.2", ["basic", "metadata", "nothing"]),
  /** Row 19, section 2.4: the field `type` of a chat. */
  chatType: choice(19, "2.4", ["web_chat", "sms", "absent"]),
  /** Row 19, section 2.4: the field `status` of a chat that is not ended. */
  chatStatus: choice(19, "2.4", ["open", "in_progress", "absent"]),
  /** Row 20, section 2.4: how much of a chat the response shows; `withoutId` shows everything but its identifier. */
  chatAnswer: choice(20, "2.4", ["whole", "minimal", "nulls", "withoutId"]),
  /** Row 20, section 2.5: the same for a voice. */
  voiceAnswer: choice(20, "2.5", ["whole", "minimal", "nulls", "withoutId"]),
  /** Sections 4.2 and 4.3: `swapped` answers 200 if 201 is documented, and 201 if 200 is. */
  postStatuses: choice(undefined, "4.2", ["documented", "swapped"]),
  /** Row 21, section 4.4: what the end of a chat answers. */
  endChat: choice(21, "4.4", ["chat", "empty", "noContent"]),
  /** Row 22, section 4.4: the end of a chat that is already ended. */
  endedChat: choice(22, "4.4", ["again", "404", "409", "410"]),
  /** Row 23, section 4.3: `required` refuses a privileged actor type without a context. */
  actorContext: choice(23, "4.3", ["ignored", "required"]),
  /** Row 23, section 4.3: the name of the actor type header. */
  actorTypeHeader: parameter<string>("X-Actor-Type"),
  /** Row 23, section 4.3: the name of the provider scope header. */
  providerScopeHeader: parameter<string>("X-Provider-Scope"),
  /** Row 23, section 4.3: the name of the workspace context header. */
  workspaceContextHeader: parameter<string>("X-Workspace-Context"),
  /** Row 25, section 4.3: the same community voice posted twice. */
  duplicateVoice: choice(25, "4.3", ["second", "409", "same"]),
  /** Row 26, section 4.3: whether `voiceProvider` is a closed list, `knownVoiceProviders`. */
  voiceProviders: choice(26, "4.3", ["any", "closed"]),
  /** Row 26: the closed list. */
  knownVoiceProviders: parameter<readonly string[]>(["provider_a", "provider_b"]),
  /** Row 28, section 5: a token is refused with 401 after this many requests; 0 = it never expires. */
  tokenExpiresAfter: amount(28, "5", [0, 1]),
  /** Row 29, section 7: what the body of a refused POST looks like. */
  errorBody: choice(29, "7", ["error", "message", "text", "none", "html"]),
  /** Row 30, section 8: requests in one second before 429; 0 = no limit. */
  rateLimit: amount(30, "8", [0, 10]),
  /** Row 30, section 8: whether a 429 says when to come back. */
  retryAfter: choice(30, "8", ["seconds", "date", "absent"], { rateLimit: 10 }),
  /** Row 31, section 8: bytes of a request body before 413; 0 = no limit. */
  sizeLimit: amount(31, "8", [0, 1024]),
  /** Row 34, section 9: fields in every object of every response that the interface does not name. */
  extraFields: choice(34, "9", ["none", "everywhere"]),
  /** Row 35, section 2.1: what one share of the traffic is drawn over, as `calls()` does it unless told otherwise. */
  callsDrawnPer: choice(35, "2.1", ["call", "caller"]),
  /** Row 37, section 4.1: how many responses after a change of a number still show what was bound before it. */
  staleAnswers: amount(37, "4.1", [0, 1, 2]),
  /** Row 38, section 2.2: whether `default_agent_id` keeps the last outbound agent after a clear. */
  defaultAgentAfterClear: choice(38, "2.2", ["cleared", "stays"]),
  /** Row 40, section 4.1: an agent that does not exist (see `knownAgents`). */
  unknownAgents: choice(40, "4.1", ["accept", "404", "422"]),
  /** Row 40: `agent` or `agent@version`. Empty: every agent exists but those whose id starts with `agent_missing`. */
  knownAgents: parameter<readonly string[]>([]),
  /** Section 4.1: a number that was never seen; with `404` only `knownNumbers` and numbers seen before exist. */
  unknownNumbers: choice(undefined, "4.1", ["accept", "404"]),
  /** The numbers that exist from the start when `unknownNumbers` is `404`. */
  knownNumbers: parameter<readonly string[]>([]),
  /** Row 41, sections 2.2 and 2.3: the account and workspace that the response names. */
  answerAccount: choice(41, "2.2", ["present", "absent", "different"]),
  /** Section 4: an `accountSid` or `workspaceId` in a request that is not the token's own. */
  foreignAccount: choice(undefined, "4", ["accept", "403"]),
} as const;

type Table = typeof TABLE;
type Name = keyof Table;

/** What the platform does if its interface is silent. */
export type Profile = { readonly [Field in Name]: Table[Field]["standard"] };

/** Rows 6 and 29, section 7: the forms of an error body. */
export type ErrorBody = Profile["errorBody"];

/** Row 20: how much of what a POST made its response shows. */
export type PostAnswer = Profile["voiceAnswer"];

/** The reading that is most usual for an interface of this kind. */
export const defaultProfile = Object.fromEntries(
  Object.entries(TABLE).map(([name, { standard }]) => [name, standard]),
) as unknown as Profile;

type SwitchName = { [Field in Name]: Table[Field] extends { readonly values: unknown } ? Field : never }[Name];

/** One switch of a profile, as tests and the command read it. */
export interface Switch extends Omit<Choice, "standard"> {
  /** The field of the profile. */
  readonly name: SwitchName;
}

/** Every switch with its values. The name of a value's own profile is `name=value`, such as `clears=null`. */
export const switches: readonly Switch[] = Object.entries(TABLE).flatMap(([name, entry]) => {
  if (!("values" in entry)) {
    return [];
  }
  const { standard: _, ...rest } = entry;
  return [{ name: name as SwitchName, ...rest }];
});

/** The profiles that set one switch: `clears=null`, `putStatus=204`, … */
export type SwitchProfileName = {
  [Field in SwitchName]: `${Field}=${Table[Field]["values"][number]}`;
}[SwitchName];

/** Several switches at once, as one platform might have them. */
const combined = {
  /** The default reading. */
  default: {},
  /** Refuses everything that it may refuse. */
  strict: {
    requiredFields: "accountSid+workspaceId",
    clears: "nullRefused",
    weights: "sum100",
    unknownFields: "refused",
    agentVersion: "required",
    chatRequires: "metadata",
    endedChat: "409",
    actorContext: "required",
    duplicateVoice: "409",
    foreignAccount: "403",
  },
  /** Says as little as it may. */
  terse: {
    putStatus: 204,
    putErrorBody: "none",
    errorBody: "none",
    chatAnswer: "minimal",
    voiceAnswer: "minimal",
    endChat: "noContent",
    endedChat: "404",
    unsetFields: "absent",
    retryAfter: "absent",
  },
  /** Replaces the whole assignment, rewrites what it was sent, and answers in older forms. */
  legacy: {
    omittedFields: "replace",
    clears: "omit",
    success: "falseOnRefusal",
    errorStatuses: "401/403/409",
    putErrorBody: "html",
    errorBody: "text",
    answerWeights: "scaled100rounded",
    answerOrder: "sorted",
    records: "several",
    outboundMirror: "default_agent_id",
    defaultAgentAfterClear: "stays",
    answerAccount: "absent",
    extraFields: "everywhere",
    postStatuses: "swapped",
    endChat: "empty",
  },
} as const satisfies Record<string, Partial<Profile>>;

/** The name of a profile that `profiles` holds. */
export type ProfileName = SwitchProfileName | keyof typeof combined;

/** Every named profile: one for each value of each switch, and some that combine several. What one leaves out is the default. */
export const profiles: Readonly<Record<ProfileName, Readonly<Partial<Profile>>>> = {
  ...(Object.fromEntries<Partial<Profile>>(
    switches.flatMap(({ name, values, along }) =>
      values.map((value) => [`${name}=${value}`, { ...along, [name]: value }]),
    ),
  ) as Record<SwitchProfileName, Partial<Profile>>),
  ...combined,
};

/** The whole profile for a name, `name=value`, or a part of one. Throws on a name, a switch or a value that does not exist. */
export function resolveProfile(profile: string | Readonly<Partial<Profile>> | undefined): Profile {
  if (typeof profile !== "string") {
    return { ...defaultProfile, ...checked(profile ?? {}) };
  }
  const named = Object.hasOwn(profiles, profile) ? profiles[profile as ProfileName] : undefined;
  if (named === undefined) {
    throw new Error(
      `Profile "${profile}" does not exist. \`npx pulumi-agent-platform emulator --list-profiles\` lists those that do.`,
    );
  }
  return { ...defaultProfile, ...named };
}

/** Tests in JavaScript and command lines have no types: a misspelt switch would silently test the default. */
function checked(profile: Readonly<Partial<Profile>>): Readonly<Partial<Profile>> {
  for (const [name, value] of Object.entries(profile)) {
    const standard = Object.hasOwn(defaultProfile, name) ? defaultProfile[name as keyof Profile] : undefined;
    if (standard === undefined) {
      throw new Error(`Switch "${name}" does not exist.`);
    }
    const { words, isPossible } = takenBy(name, standard);
    if (!isPossible(value)) {
      throw new Error(`Switch ${name} takes ${words}; not ${JSON.stringify(value)}.`);
    }
  }
  return profile;
}

function takenBy(name: string, standard: Profile[keyof Profile]) {
  const { values, open } = switches.find((entry) => entry.name === name) ?? {};
  if (values !== undefined && open === undefined) {
    return { words: values.join(", "), isPossible: (value: unknown) => values.some((possible) => possible === value) };
  }
  if (typeof standard === "number") {
    return { words: "a number from 0", isPossible: (value: unknown) => typeof value === "number" && value >= 0 };
  }
  return typeof standard === "string"
    ? { words: "text", isPossible: (value: unknown) => typeof value === "string" }
    : { words: "a list", isPossible: Array.isArray };
}
