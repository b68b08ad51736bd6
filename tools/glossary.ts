/**
 * The words of this project: one for one thing. docs/glossary.md is made of this table, and a test finds the words that it replaces
 * on pages and in messages.
 */
export interface Entry {
  readonly use: string;
  readonly meaning: string;
  /** What it replaces, as the page shows it. */
  readonly instead: string;
  /** The same as the test finds it: no more than what is wrong wherever it stands. */
  readonly replaced: RegExp;
}

export const GLOSSARY: readonly Entry[] = [
  {
    use: "routing",
    meaning: "everything that a number is assigned: inbound agents, outbound agent, webhook, time routing",
    instead: "binding",
    replaced: /\bbindings?\b/i,
  },
  {
    use: "traffic split",
    meaning: "how the calls of a number are divided between agents",
    instead: "share",
    replaced: /\b(?<!(they|numbers|stacks|tests|that|nothing) )shares?\b/i,
  },
  {
    use: "weight, percentage",
    meaning:
      "a *weight* is what the program writes for an agent; the *percentage* of the traffic is what follows from all weights",
    instead: "share; an agent holds, may hold",
    replaced: /\b(would|may|can) hold \d|\bholds? (at most )?\d+ ?%/i,
  },
  {
    use: "canary",
    meaning: "a split that gives a new version a small percentage",
    instead: "arm",
    replaced: /\barms?\b/i,
  },
  {
    use: "size of a change; moves 20 points",
    meaning: "how many percentage points of the traffic one change moves to other agents",
    instead: "step",
    replaced: /\bsteps? of (at most|more than|\d)|\b(small|smaller|large|larger|big) steps?\b/i,
  },
  {
    use: "overwrite",
    meaning: "what a PUT does to a number's current routing",
    instead: "take over, what stands there",
    replaced:
      /\b(take|takes|taken|taking|took) overs?\b|\btakes? (it|them|numbers?) over\b|\bwhat(ever)? stands there\b/i,
  },
  {
    use: "onboard existing numbers",
    meaning: "the task of declaring numbers that have agents already",
    instead: "take-over",
    replaced: /\btake-over\b|\ba takeover\b/i,
  },
  {
    use: "adopt",
    meaning: "record a voice or a chat that exists; nothing is sent",
    instead: "import, take into the state",
    replaced: /\bimport (a|the|your) (voice|chat)|\btakes? .{0,30}\binto the state\b/i,
  },
  {
    use: "unassign agents (of a number); clear (a field)",
    meaning: "a PUT that removes a routing or a part of it",
    instead: "bound, gone, the line is cut",
    replaced: /\bbound\b|\bis gone\b|\bare gone\b|\bline is cut\b/i,
  },
  {
    use: "outcome unknown → unresolved → resolve",
    meaning: "no usable response came → the state says so → the operator says what happened",
    instead: "settle, mark",
    replaced: /\bsettl(e|es|ed|ing)\b|\bmarked as unknown\b/i,
  },
  {
    use: "guard, CI gate; both block",
    meaning:
      "a *guard* is a setting of the stack that the provider enforces; a *gate* is `report --fail-on` in a pipeline",
    instead: "trip",
    replaced: /\b(trips|tripped|to trip)\b/i,
  },
  {
    use: "bypass",
    meaning: "one run with its guards off, with a reason that is printed",
    instead: "let pass, open a guard",
    replaced: /\blets? (it |this |that )?pass\b|\bopens? (the|every|all|its) guards?\b/i,
  },
  {
    use: "override",
    meaning: "what one number of a group has for itself",
    instead: "a bypass of the guards",
    replaced: /\boverrid(e|es|ing) (a|the|every|all) guards?\b/i,
  },
  {
    use: "response",
    meaning: "what the API sends; agents answer calls",
    instead: "answer",
    replaced:
      /\b(?<!(agents?|who|it|they|that|which|versions?|nobody|\d+) (never |then )?)answer(s|ed|ing)?\b(?! (your|the phone|calls?|a call|phone|its|which|inbound|each number|number))/i,
  },
  {
    use: "the API has no …, the API does not specify …",
    meaning: "a gap in [the platform's interface](interface.md)",
    instead: "the platform shows no",
    replaced:
      /\b(does|do|did) not show (it|whether|what|which|how|their|these|the names)\b|\bshows no (way|endpoint)\b|\bnot shown\b/i,
  },
  {
    use: "fix",
    meaning: "make a mistake right",
    instead: "mend",
    replaced: /\bmend(s|ed|ing)?\b/i,
  },
  {
    use: "phone number, number",
    meaning: "a phone number or an extension",
    instead: "line",
    replaced: /\b(phone|dead|declared|a declared) lines?\b/i,
  },
  {
    use: "group",
    meaning: "a `NumberGroup`, or the numbers that it declares",
    instead: "fleet",
    replaced: /\bfleets?\b/i,
  },
  {
    use: "provider",
    meaning: "this package as the engine meets it; an *explicit provider* is a `new AgentPlatform(…)`",
    instead: "account",
    replaced: /\b(explicit|another|second) account resource\b/i,
  },
];

/** Every word of a text that the glossary replaces, with what to write. */
export function replacedWords(text: string): string[] {
  return GLOSSARY.flatMap(({ replaced, use }) =>
    [...text.matchAll(new RegExp(replaced, "gi"))].map(
      ({ 0: found, index }) => `"${found}" → ${use}: …${around(text, index, found.length)}…`,
    ),
  );
}

const around = (text: string, at: number, length: number): string =>
  text.slice(Math.max(0, at - 40), at + length + 40).replace(/\s+/g, " ");
