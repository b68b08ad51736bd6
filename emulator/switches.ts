import { defaultProfile, type Profile } from "./profile";

/** One switch of a profile, as a table that tests and the command can read. */
export interface Switch {
  /** The field of the profile. */
  readonly name: keyof Profile;
  /** The row of the table of unknowns; undefined where the emulator has a switch of its own. */
  readonly row: number | undefined;
  /** The section of the interface that is silent. */
  readonly section: string;
  /** Every value, the default among them. */
  readonly values: readonly (string | number)[];
  /** Any number from 0 is a value; those listed are worth trying. */
  readonly open?: true;
  /** What a value's own profile sets besides, where the value alone would show nothing. */
  readonly along?: Readonly<Partial<Profile>>;
}

/** Every switch with its values. The name of a value's own profile is `name=value`, such as `clears=null`. */
export const switches = [
  {
    name: "requiredFields",
    row: 1,
    section: "4.1",
    values: ["none", "accountSid", "workspaceId", "accountSid+workspaceId"],
  },
  { name: "omittedFields", row: 2, section: "4.1", values: ["merge", "replace"] },
  { name: "clears", row: 3, section: "4.1", values: ["any", "null", "empty", "omit", "nullRefused", "emptyRefused"] },
  { name: "putStatus", row: 4, section: "4.1", values: [200, 201, 202, 204] },
  { name: "putBody", row: 4, section: "4.1", values: ["whole", "successOnly", "none"] },
  { name: "success", row: 5, section: "4.1", values: ["true", "false", "falseOnRefusal", "absent", "null"] },
  { name: "errorStatuses", row: 6, section: "4.1", values: ["400/404/422", "401/403/409"] },
  { name: "putErrorBody", row: 6, section: "7", values: ["error", "message", "text", "none", "html"] },
  { name: "weights", row: 7, section: "4.1", values: ["any", "sum100", "sum1", "integers", "max2"] },
  { name: "answerWeights", row: 8, section: "2.1", values: ["verbatim", "scaled1", "scaled100rounded"] },
  { name: "answerOrder", row: 9, section: "2.2", values: ["asSent", "sorted", "reversed"] },
  { name: "outboundAgents", row: 10, section: "4.1", values: ["ignored", "accepted"] },
  { name: "unknownFields", row: 10, section: "4.1", values: ["ignored", "refused"] },
  { name: "records", row: 11, section: "2.2", values: ["one", "several", "none", "otherFormat", "baseNumberOnly"] },
  { name: "assignment", row: 11, section: "2.3", values: ["present", "absent"] },
  {
    name: "outboundMirror",
    row: 12,
    section: "2.2",
    values: ["all", "agent_id", "default_agent_id", "outbound_agents", "none"],
  },
  { name: "inboundMirror", row: 13, section: "2.2", values: ["all", "inbound_agents", "singleId"] },
  { name: "agentVersion", row: 14, section: "2.1", values: ["optional", "required", "latest"] },
  { name: "numberForms", row: 16, section: "4.1", values: ["any", "e164Only"] },
  { name: "importError", row: 17, section: "2.2", values: ["false", "true", "trueWithMessage", "absent"] },
  { name: "unsetFields", row: undefined, section: "2.2", values: ["null", "absent"] },
  { name: "chatRequires", row: 18, section: "4.2", values: ["basic", "metadata", "nothing"] },
  { name: "chatType", row: 19, section: "2.4", values: ["web_chat", "sms", "absent"] },
  { name: "chatStatus", row: 19, section: "2.4", values: ["open", "in_progress", "absent"] },
  { name: "chatAnswer", row: 20, section: "2.4", values: ["whole", "minimal", "nulls", "withoutId"] },
  { name: "voiceAnswer", row: 20, section: "2.5", values: ["whole", "minimal", "nulls", "withoutId"] },
  { name: "postStatuses", row: undefined, section: "4.2", values: ["documented", "swapped"] },
  { name: "endChat", row: 21, section: "4.4", values: ["chat", "empty", "noContent"] },
  { name: "endedChat", row: 22, section: "4.4", values: ["again", "404", "409", "410"] },
  { name: "actorContext", row: 23, section: "4.3", values: ["ignored", "required"] },
  { name: "duplicateVoice", row: 25, section: "4.3", values: ["second", "409", "same"] },
  { name: "voiceProviders", row: 26, section: "4.3", values: ["any", "closed"] },
  { name: "tokenExpiresAfter", row: 28, section: "5", values: [0, 1], open: true },
  { name: "errorBody", row: 29, section: "7", values: ["error", "message", "text", "none", "html"] },
  { name: "rateLimit", row: 30, section: "8", values: [0, 10], open: true },
  { name: "retryAfter", row: 30, section: "8", values: ["seconds", "date", "absent"], along: { rateLimit: 10 } },
  { name: "sizeLimit", row: 31, section: "8", values: [0, 1024], open: true },
  { name: "extraFields", row: 34, section: "9", values: ["none", "everywhere"] },
  { name: "callsDrawnPer", row: 35, section: "2.1", values: ["call", "caller"] },
  { name: "staleAnswers", row: 37, section: "4.1", values: [0, 1, 2], open: true },
  { name: "defaultAgentAfterClear", row: 38, section: "2.2", values: ["cleared", "stays"] },
  { name: "unknownAgents", row: 40, section: "4.1", values: ["accept", "404", "422"] },
  { name: "unknownNumbers", row: undefined, section: "4.1", values: ["accept", "404"] },
  { name: "answerAccount", row: 41, section: "2.2", values: ["present", "absent", "different"] },
  { name: "foreignAccount", row: undefined, section: "4", values: ["accept", "403"] },
] as const satisfies readonly Switch[];

/** The profiles that set one switch: `clears=null`, `putStatus=204`, … */
export type SwitchProfileName = {
  [S in (typeof switches)[number] as S["name"]]: `${S["name"]}=${S["values"][number]}`;
}[(typeof switches)[number]["name"]];

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
    switches.flatMap(({ name, values, along }: Switch) =>
      values.map((value) => [`${name}=${value}`, { ...along, [name]: value }]),
    ),
  ) as Record<SwitchProfileName, Partial<Profile>>),
  ...combined,
};

/** The whole profile for a name, `name=value`, or a part of one. Throws on a name, a switch or a value that does not exist. */
export function resolveProfile(profile: string | Readonly<Partial<Profile>> | undefined): Profile {
  if (typeof profile !== "string") return { ...defaultProfile, ...checked(profile ?? {}) };
  const named = Object.hasOwn(profiles, profile) ? profiles[profile as ProfileName] : undefined;
  if (named === undefined) {
    throw new Error(
      `Profile "${profile}" does not exist. \`agent-platform emulator --list-profiles\` lists those that do.`,
    );
  }
  return { ...defaultProfile, ...named };
}

/** Tests in JavaScript and command lines have no types: a misspelt switch would silently test the default. */
function checked(profile: Readonly<Partial<Profile>>): Readonly<Partial<Profile>> {
  for (const [name, value] of Object.entries(profile)) {
    const standard = Object.hasOwn(defaultProfile, name) ? defaultProfile[name as keyof Profile] : undefined;
    if (standard === undefined) throw new Error(`Switch "${name}" does not exist.`);
    if (!isPossible(name, value, standard)) {
      throw new Error(`Switch ${name} takes ${valuesOf(name, standard)}; not ${JSON.stringify(value)}.`);
    }
  }
  return profile;
}

function find(name: string): Switch | undefined {
  return switches.find((entry) => entry.name === name);
}

function isPossible(name: string, value: unknown, standard: Profile[keyof Profile]): boolean {
  const entry = find(name);
  if (entry !== undefined && entry.open === undefined) return entry.values.some((possible) => possible === value);
  if (typeof standard === "number") return typeof value === "number" && value >= 0;
  return typeof standard === "string" ? typeof value === "string" : Array.isArray(value);
}

function valuesOf(name: string, standard: Profile[keyof Profile]): string {
  const entry = find(name);
  if (entry !== undefined && entry.open === undefined) return entry.values.join(", ");
  if (typeof standard === "number") return "a number from 0";
  return typeof standard === "string" ? "text" : "a list";
}
