import * as z from "zod";
import { same } from "../common/equality";
import { agentId, flag, integer, jsonObject, natural, plainText, webhookUrl, wire } from "../common/schemas";
import { compareSplit, inboundAgents, weightEntries } from "./inboundAgents";
import type { Split, Weighted } from "./split";

/** A kind of value that a field of the routing holds. */
interface Kind<Value, Shown, Schema extends z.ZodType> {
  readonly schema: z.ZodType<Value>;
  /** The value as a response has it. The interface does not specify which fields are always present (2.4), so it may be absent or null. */
  readonly shown: Schema;
  /** How a request says that there is none, beside null; undefined if it has no such form. */
  readonly empty: unknown;
  readonly isNone: (value: Value) => boolean;
  /** Does the response show what was asked? Null is a field that it shows as null. */
  readonly isSame: (asked: Value, shown: Shown | null) => boolean;
  /** Does the response still show what was to be cleared? `mayHave` is what the platform may have had. */
  readonly isStillShown: (shown: Shown, mayHave: Value | undefined) => boolean;
}

const kind = <Value, Shown, Schema extends z.ZodType>(row: Kind<Value, Shown, Schema>) => row;

export const shownText = wire(z.string());
export const shownInteger = wire(z.int());
export const shownFlag = wire(z.boolean());

const isNone = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
/** The platform need not name the account, the workspace and a version, so null proves nothing. */
const isSame = <T>(asked: T, shown: T | null): boolean => shown === null || same(asked, shown);
const isStillShown = <T>(shown: T, mayHave: T | undefined): boolean => same(shown, mayHave);
const BY_EQUALITY = { isNone, isSame, isStillShown };

/** One row for each kind. A version has no empty form: it is cleared with its agent. */
export const VALUES = {
  text: kind({ ...BY_EQUALITY, schema: plainText, shown: shownText, empty: "" }),
  integer: kind({ ...BY_EQUALITY, schema: integer, shown: shownInteger, empty: undefined }),
  agent: kind({
    ...BY_EQUALITY,
    schema: agentId,
    shown: shownText,
    empty: "",
    // All calls have to be its calls, in whatever field the response says so (assumption 12).
    isSame: (asked: string, shown: readonly Weighted[] | null) => compareSplit({ [asked]: 1 }, shown) !== "other",
    // Only the agent that was there before counts as not cleared: another one may be the platform's own default (assumption 38).
    isStillShown: (shown: readonly Weighted[], mayHave) => shown.some(({ agentId: one }) => one === mayHave),
  }),
  version: kind({
    ...BY_EQUALITY,
    schema: natural,
    shown: shownInteger,
    empty: undefined,
  }),
  split: kind({
    ...BY_EQUALITY,
    schema: inboundAgents,
    shown: weightEntries,
    empty: [],
    isSame: (asked: Split, shown: readonly Weighted[] | null) => compareSplit(asked, shown) !== "other",
    isStillShown: (shown: readonly Weighted[]) => shown.length > 0,
  }),
  url: kind({
    ...BY_EQUALITY,
    schema: webhookUrl,
    shown: shownText,
    empty: "",
    isSame: (asked: string, shown: string | null) => shown !== null && isSameUrl(asked, shown),
    isStillShown: (shown: string) => shown !== "",
  }),
  // A flag that is off counts as cleared.
  flag: kind({
    ...BY_EQUALITY,
    schema: flag,
    shown: shownFlag,
    empty: false,
    isSame: (asked: boolean, shown: boolean | null) => asked === (shown ?? false),
    isStillShown: (shown: boolean, mayHave) => shown && mayHave === true,
  }),
  json: kind({ ...BY_EQUALITY, schema: jsonObject, shown: z.never(), empty: undefined }),
} as const;

export type ValueKind = keyof typeof VALUES;
export type ValueOf<Name extends ValueKind> = z.output<(typeof VALUES)[Name]["schema"]>;

const isSameUrl = (a: string, b: string): boolean =>
  a === b || (URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href);
