import { NAMESPACE } from "../../../provider/core/config/settings";
import { counted } from "../../../provider/core/messages";
import { UsageError } from "../../errors";
import type { Probed, Subject } from "./experiments";
import type { Effect, Effects, Facts } from "./facts";

/** What the facts mean: a table for operators, and settings for the stack. Pure. */

const UNKNOWN = "the responses do not say";

/** A question and what was seen. */
export function rowsOf(facts: Facts, { agents: [first, , third] }: Subject): (readonly [string, string])[] {
  const withoutThird = third === undefined ? "not tried: give a third --agent" : undefined;
  const withoutVersion = first.agentVersion === undefined ? "not tried: give versions" : undefined;
  const rows: [string, string | undefined][] = [
    ["success status", listed(facts.statuses)],
    ["field success", facts.success],
    ["which record is ours", facts.record],
    ["inbound agents are shown in", facts.inboundShown],
    ["outbound agent is shown in", listed(facts.outboundFields)],
    ["responses lag behind", lagText(facts)],
    ["weights", weightsText(facts)],
    ["weight 0", facts.zero],
    ["three agents", facts.three ?? withoutThird],
    ["an agent without a version", facts.version ?? withoutVersion],
    ["weights in the response", listed(facts.responseWeights, ", or ")],
    ["order in the response", listed(facts.responseOrder, ", or ")],
    ["a field left out", effectText(facts.omission, { cleared: "is cleared (replace)", kept: "stays (merge)" })],
    ["null", effectText(facts.null)],
    ['[] and ""', effectText(facts.empty)],
    ["account and workspace", facts.account],
    ["differs from what was sent", facts.contradicted && (listed(facts.contradicted) ?? "nothing")],
  ];
  return rows.map(([question, seen]) => [question, seen ?? UNKNOWN]);
}

/** What a few PUTs cannot show. */
export const STAYS_UNKNOWN = [
  "which fields a request must have, beyond those that were sent",
  "whether a split applies to calls or to callers, and whether a caller keeps the agent",
  "what happens to calls in progress, and when a change takes effect for callers",
  "what callers hear when a number has no agents",
  "webhook, time routing, outbound weights: not tried",
] as const;

const listed = (items: readonly unknown[], separator = ", "): string | undefined => items.join(separator) || undefined;

function lagText({ lag }: Facts): string | undefined {
  if (lag === undefined || lag === 0) {
    return lag === 0 ? "no" : undefined;
  }
  return `by ${counted(lag, "more PUT")}`;
}

function weightsText({ sums, takesFractions }: Facts): string | undefined {
  if (sums === undefined) {
    return undefined;
  }
  const sum = isAnySum(sums, takesFractions) ? "any sum" : `must sum to ${sums.join(" or ")}`;
  const whole = takesFractions === false ? "whole numbers only" : "fractions too";
  return `${sum}, ${whole}`;
}

/** Does the platform accept any sum? If it refuses fractions, the sum of 1 could not be tried. */
const isAnySum = (sums: readonly number[], takesFractions: boolean | undefined): boolean =>
  sums.length === 3 || (takesFractions === false && sums.length === 2);

function effectText(
  { inbound, outbound }: Effects,
  words: Readonly<Partial<Record<Effect, string>>> = {},
): string | undefined {
  if (inbound === undefined && outbound === undefined) {
    return undefined;
  }
  const say = (effect: Effect | undefined) => (effect === undefined ? UNKNOWN : (words[effect] ?? effect));
  return inbound === outbound ? say(inbound) : `inbound ${say(inbound)}; outbound ${say(outbound)}`;
}

// --- settings

/** The settings that a probe may suggest. All others keep their defaults. */
const SUGGESTED = ["clearWith", "weightTotal", "requireVersions"] as const;
const keyOf = (setting: (typeof SUGGESTED)[number]): string => `${NAMESPACE}:${setting}`;
export const SETTING_KEYS = SUGGESTED.map(keyOf);

/** The settings that follow from the facts. */
export function settingsFrom(facts: Facts): Record<string, string> {
  const { sums, takesFractions, version } = facts;
  const [total] = sums ?? [];
  const isFixed = sums?.length === 1 && !isAnySum(sums, takesFractions) && total !== 10;
  const values = {
    clearWith: clearMode(facts),
    weightTotal: isFixed ? String(total) : undefined,
    requireVersions: version === "required" ? "true" : undefined,
  };
  return Object.fromEntries(SUGGESTED.flatMap((key) => (values[key] === undefined ? [] : [[keyOf(key), values[key]]])));
}

/** The first form that was seen to clear the inbound agents, and was not seen to keep the outbound one. */
function clearMode({ null: nulls, empty, omission }: Facts): string | undefined {
  const ways = Object.entries({ null: nulls, empty, omit: omission });
  return ways.find(([, { inbound, outbound = "cleared" }]) => inbound === "cleared" && outbound === "cleared")?.[0];
}

const LEFT: Readonly<Record<Probed["left"], (number: string, sent: string) => string>> = {
  cleared: (number, sent) => `${number} was probed with ${sent} and has no agents now.`,
  "cleared, but not verified": (number, sent) =>
    `${number} was probed with ${sent}. Every way of clearing was sent, but no response says whether it worked. Check the number, and clear it in the platform's web application if it still has agents.`,
  "not cleared": (number, sent) =>
    `${number} was probed with ${sent} and still has agents: no way of clearing worked. Clear it in the platform's web application.`,
  "not touched": (number, sent) => `${number} was not changed: ${sent} sent, none accepted.`,
  "not known": (number, sent) =>
    `${number} was probed with ${sent}; its routing is not known now. Check the number, and clear it in the platform's web application.`,
};

export const leftText = ({ left, puts }: Probed, { number }: Subject): string =>
  LEFT[left](number, counted(puts, "PUT"));

const otherForm = () =>
  new UsageError(
    "The config file is not written as `pulumi config set` writes it. Leave --write out: the probe then prints commands.",
  );

/**
 * Sets keys in the text of a `Pulumi.<stack>.yaml`, line by line, so that comments and secrets stay as they are. Every value is quoted,
 * because `null` and `true` without quotes are no texts in YAML.
 */
export function withSettings(text: string, settings: Readonly<Record<string, string>>): string {
  const lines = text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  const start = lines.findIndex((line) => /^config:\s*(#.*)?$/.test(line));
  if (start < 0) {
    if (lines.some((line) => /^\s*["']?config["']?\s*:/.test(line) || line.trimStart().startsWith("{"))) {
      throw otherForm();
    }
    return joined([...lines, "config:", ...entries(settings, "  ")]);
  }
  const length = lines.slice(start + 1).findIndex((line) => /^\S/.test(line) && !line.startsWith("#"));
  const end = length < 0 ? lines.length : start + 1 + length;
  const block = lines.slice(start + 1, end);
  const indent = /^(\s+)\S/.exec(block.find((line) => /^\s+[^\s#]/.test(line)) ?? "")?.[1] ?? "  ";
  return joined([...lines.slice(0, start + 1), ...replaced(block, settings, indent), ...lines.slice(end)]);
}

function replaced(block: readonly string[], settings: Readonly<Record<string, string>>, indent: string): string[] {
  const lines = [...block];
  for (const [key, value] of Object.entries(settings)) {
    const found = lines.findIndex((line) => line.replace(/["']/g, "").startsWith(`${indent}${key}:`));
    // The value is on the lines below, as that of a secret is.
    if (/:\s*(#.*)?$/.test(lines[found] ?? "")) {
      throw otherForm();
    }
    lines[found < 0 ? lines.length : found] = entry(key, value, indent);
  }
  return lines;
}

export const entries = (settings: Readonly<Record<string, string>>, indent: string): string[] =>
  Object.entries(settings).map(([key, value]) => entry(key, value, indent));

const entry = (key: string, value: string, indent: string): string => `${indent}${key}: ${JSON.stringify(value)}`;

const joined = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
