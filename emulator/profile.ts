/**
 * One reading of the platform's interface. If it is silent, a switch here says what this platform does; the rows are those of
 * docs/assumptions.md, the sections those of docs/interface.md.
 */

/** A switch with a value for each reading. */
interface Choice<Value extends string | number = string | number> {
  readonly standard: Value;
  /** The row of the table of assumptions; undefined if no row has this switch. */
  readonly row: number | undefined;
  /** The section of the interface that is silent. */
  readonly section: string;
  /** Every value, the default first. */
  readonly values: readonly Value[];
  /** Any number from 0 is a value; those listed are worth trying. */
  readonly open?: true;
}

const choice = <const Values extends readonly [string | number, ...(string | number)[]]>(
  row: number | undefined,
  section: string,
  values: Values,
): Choice<Values[number]> & { readonly values: Values } => ({
  standard: values[0],
  row,
  section,
  values,
});

/** Every switch once, with the rule that needs it: the type of a profile, its default, its named values and their checks come from here. */
const TABLE = {
  /** Row 2, section 4.1: what a field that the PUT leaves out means. A field that was set is cleared, one that never was is not sent. */
  omittedFields: choice(2, "4.1", ["merge", "replace"]),
  /** Row 4, section 4.1: the status of a PUT that was applied; 204 has no body, so the assignment is not verified. */
  putStatus: choice(4, "4.1", [200, 202, 204]),
  /** Row 5, section 4.1: the field `success`; `false` refuses every PUT with a 2xx, which is a rejection. */
  success: choice(5, "4.1", ["true", "false", "absent"]),
  /** Row 7, section 4.1: what the weights of a non-empty list must satisfy, because a setting says their total. */
  weights: choice(7, "4.1", ["any", "sum100", "sum1"]),
  /** Row 8, section 2.1: how the response shows the weights; percentages are compared. */
  responseWeights: choice(8, "2.1", ["verbatim", "scaled1", "scaled100rounded"]),
  /** Row 10, section 4.1: whether the undeclared request field `outboundAgents` assigns weighted outbound agents: `extraFields` sends it. */
  outboundAgents: choice(10, "4.1", ["ignored", "accepted"]),
  /** Row 11, section 2.2: which records `numbers` holds, and how the number is written in them: one of them is taken for ours. */
  records: choice(11, "2.2", ["one", "several", "none", "otherFormat", "baseNumberOnly"]),
  /** Row 14, section 2.1: an entry without `agent_version`, because a setting requires it; the response of `latest` has a version. */
  agentVersion: choice(14, "2.1", ["optional", "required", "latest"]),
  /** Row 17, section 2.2: the field `platform_import_error`, which is an error of ours. */
  importError: choice(17, "2.2", ["false", "true", "trueWithMessage"]),
  /** Section 2.2 (which fields are present is not shown): how an unset field of a record is written, by which a clear is known. */
  unsetFields: choice(undefined, "2.2", ["null", "absent"]),
  /** Row 20, section 2.4: how much of a voice or a chat the response shows; without its identifier it is unresolved. */
  postResponse: choice(20, "2.4", ["whole", "minimal", "withoutId"]),
  /** Row 21, section 4.4: the response to the end of a chat; any 2xx ends it. */
  endChat: choice(21, "4.4", ["chat", "noContent"]),
  /** Row 22, section 4.4: the end of a chat that is already ended, which counts as ended. */
  endedChat: choice(22, "4.4", ["again", "404", "409", "410"]),
  /** Row 30, section 8: requests in one second before 429, by which the client learns its rate; 0 = no limit. */
  rateLimit: { standard: 0 as number, row: 30, section: "8", values: [0, 10], open: true },
  /** Row 30, section 8: whether a 429 says when to come back, which the client waits for. */
  retryAfter: choice(30, "8", ["seconds", "absent"]),
  /** Row 40, section 4.1: an agent that does not exist (see `knownAgents`), so that a test finds a misspelt one. */
  unknownAgents: choice(40, "4.1", ["accept", "404", "422"]),
  /** Row 40: `agent` or `agent@version`. Empty: every agent exists but those whose id starts with `agent_missing`. */
  knownAgents: { standard: [] as readonly string[] },
} as const;

type Table = typeof TABLE;
type Name = keyof Table;

/** What the platform does if its interface is silent. */
export type Profile = { readonly [Field in Name]: Table[Field]["standard"] };

/** The switches that differ from the default profile. */
export type ProfileChoice = Readonly<Partial<Profile>>;

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

/** Every switch with its values. */
export const switches: readonly Switch[] = Object.entries(TABLE).flatMap(([name, entry]) => {
  if (!("values" in entry)) {
    return [];
  }
  const { standard: _, ...rest } = entry;
  return [{ name: name as SwitchName, ...rest }];
});

/** The whole profile for the switches that differ from the default one. Throws on a switch or a value that does not exist. */
export const resolveProfile = (profile: ProfileChoice = {}): Profile => ({ ...defaultProfile, ...checked(profile) });

/** Tests in JavaScript and command lines have no types: a misspelt switch would silently test the default. */
function checked(profile: ProfileChoice): ProfileChoice {
  for (const [name, value] of Object.entries(profile)) {
    if (!Object.hasOwn(defaultProfile, name)) {
      throw new Error(`Switch "${name}" does not exist.`);
    }
    const { values, open } = switches.find((entry) => entry.name === name) ?? {};
    if (values !== undefined && open === undefined && !values.some((possible) => possible === value)) {
      throw new Error(`Switch ${name} takes ${values.join(", ")}; not ${JSON.stringify(value)}.`);
    }
  }
  return profile;
}
