import type { ResourceKind } from "../../provider/core/urn";
import { present } from "../lists";
import type { StepState } from "../pulumi/preview";
import type { Text } from "./text";
import type { Affected, Family } from "./words";

/** What a report says, before it is drawn as Markdown, SVG or JSON. */

export type Tone = "danger" | "warning" | "plain";

/** A resource of this platform that a run would change. */
export interface Change {
  readonly kind: ResourceKind;
  readonly urn: string;
  readonly name: string;
  /** Name of an explicit provider; undefined for the stack's own settings. */
  readonly providerName: string | undefined;
  readonly op: "create" | "update" | "replace" | "delete";
  readonly old: StepState | undefined;
  readonly new: StepState | undefined;
  /** With `retainOnDelete` the engine only forgets it. */
  readonly isRetained: boolean;
  /** Was it replaced in an earlier run, which did not come to its delete? */
  readonly isLeftover?: true;
}

export interface AgentRow {
  readonly agent: string;
  /** Shares in percent; undefined where the agent is not in the list. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** Weights, where they do not read as the shares. */
  readonly weights: { readonly before: number | undefined; readonly after: number | undefined } | undefined;
}

export interface AgentTable {
  readonly rows: readonly AgentRow[];
  /** A number that is assigned for the first time, or deleted, has one side alone. */
  readonly sides: "both" | "before" | "after";
}

export interface FieldRow {
  readonly field: string;
  readonly before: Text;
  readonly after: Text;
}

export interface Listed {
  readonly title: string;
  readonly items: readonly Text[];
}

/** What gates judge. `guard` is in no `--fail-on`: it blocks by itself. */
export const CONDITIONS = ["create", "delete", "replace", "shift", "unresolved", "guard"] as const;
export type Condition = (typeof CONDITIONS)[number];

export interface Fact {
  readonly condition: Condition;
  /** Of a shift: percentage points; undefined where they are not known. */
  readonly points?: number | undefined;
  readonly text: Text;
}

/** What a run would send. */
export interface Requests {
  readonly puts: number;
  /** Those among them that unbind something: each may take several attempts, since the interface does not show how it is written. */
  readonly clears: number;
  readonly voices: number;
  readonly messages: number;
  readonly ends: number;
  /** Is some of it not known before the run? */
  readonly isAtLeast: boolean;
}

export const NOTHING: Requests = { puts: 0, clears: 0, voices: 0, messages: 0, ends: 0, isAtLeast: false };

/** What a revert of the pull request does: what it brings back, as the end of that sentence, or what it does beside. */
export interface Undo {
  readonly back?: Text;
  readonly caveat?: Text;
}

/** One thing that happens, wherever it happens. */
export interface Card {
  readonly family: Family;
  readonly tone: Tone;
  /** Smaller is more important. */
  readonly rank: number;
  readonly title: Text;
  readonly affected: readonly Affected[];
  readonly agents: AgentTable | undefined;
  readonly fields: readonly FieldRow[];
  readonly notes: readonly Text[];
  readonly listed: readonly Listed[];
  /** What gates judge. */
  readonly facts: readonly Fact[];
  readonly requests: Requests;
  readonly undo: Undo | undefined;
}

/** What a person must read first: a refusal, open guards, an unresolved entry. */
export interface Alert {
  readonly tone: Tone;
  readonly title: Text;
  /** Words of the provider or of the engine. */
  readonly quote: readonly string[];
}

export interface Model {
  readonly title: string | undefined;
  readonly project: string;
  readonly stack: string;
  readonly headline: Text;
  readonly tone: Tone;
  /** Did the preview end with an error? Then it is not whole. */
  readonly hasFailed: boolean;
  readonly alerts: readonly Alert[];
  readonly cards: readonly Card[];
  readonly facts: readonly Fact[];
  readonly requests: Requests;
  readonly onMerge: Text;
  readonly undo: readonly Text[];
  /** Resources of other providers, and what does not change. */
  readonly rest: readonly Text[];
  /** What the provider wrote as a warning. */
  readonly warnings: readonly string[];
  readonly digest: string | undefined;
}

type CardParts = Pick<Card, "title" | "rank" | "family"> &
  Partial<Omit<Card, "notes" | "requests">> & {
    readonly notes?: readonly (Text | false | undefined)[];
    readonly requests?: Partial<Requests>;
  };

/** What is not named is nothing. */
export const card = ({ notes = [], requests, ...parts }: CardParts): Card => ({
  tone: "plain",
  affected: [],
  agents: undefined,
  fields: [],
  listed: [],
  facts: [],
  undo: undefined,
  ...parts,
  notes: present(notes),
  requests: { ...NOTHING, ...requests },
});

export const sum = (all: readonly Requests[]): Requests =>
  all.reduce(
    (total, { puts, clears, voices, messages, ends, isAtLeast }) => ({
      puts: total.puts + puts,
      clears: total.clears + clears,
      voices: total.voices + voices,
      messages: total.messages + messages,
      ends: total.ends + ends,
      isAtLeast: total.isAtLeast || isAtLeast,
    }),
    NOTHING,
  );

/** Callers lose their agents, or the engine makes anew what they reach. */
export const REMOVAL = { tone: "danger", rank: 1, family: "removal" } as const;
export const REPLACEMENT = { tone: "danger", rank: 1, family: "replacement" } as const;
