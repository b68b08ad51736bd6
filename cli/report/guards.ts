import {
  BASE_URL_ENV,
  codeOf,
  exceeds,
  GUARD_KEYS,
  judgeDelete,
  judgeRunRemoval,
  membersOf,
  NAMESPACE,
  notApproved,
  percentages,
  readSettings,
  round,
  type Settings,
  type Violation,
  violationText,
} from "../../provider/review";
import { UsageError } from "../errors";
import { groupBy } from "../lists";
import { isHidden, type Properties } from "../pulumi/values";
import { type Card, CONDITIONS, type Condition, type Fact, numbersText, totalOf } from "./card";
import type { Effect } from "./effects";
import { known } from "./splits";
import { counted, id, say, some, someIds, type Text } from "./text";

/**
 * The guards of the stack. A preview that succeeded has passed them, unless they were bypassed: the provider judges each resource. The report
 * judges with the core's rules what no resource shows by itself.
 */

export type Guards = ReturnType<typeof guardsIn>;

/** The text of a file; undefined if it cannot be read. */
export type ReadApproved = (file: string) => string | undefined;

const NO_GUARDS = { guards: { requireVersions: false, maxUnapproved: 0 } } as unknown as Settings;

/** Reads the guards as the provider does. Those that are hidden are left out. */
export function guardsIn(config: Properties, areBypassed: boolean, readApproved: ReadApproved) {
  const settingIn = (key: string) => config[`${NAMESPACE}:${key}`];
  const approved = settingIn("approvedAgents");
  const file = typeof approved === "string" && !isHidden(approved) && !approved.trimStart().startsWith("[") && approved;
  // A preview does not have the content of the file.
  const content = file ? readApproved(file) : undefined;
  const isUnread = file !== false && content === undefined;
  const isRead = (key: string) =>
    GUARD_KEYS.includes(key) && !isHidden(settingIn(key)) && !(key === "approvedAgents" && isUnread);
  const read = readSettings({
    get: (key) => (isRead(key) ? settingIn(key) : undefined),
    // The address is needed to read the settings, but not for the guards.
    env: { [BASE_URL_ENV]: "https://not-read.invalid" },
    readApproved: () => content ?? "",
  });
  return {
    settings: "settings" in read ? read.settings : NO_GUARDS,
    /** Is every guard bypassed for this run? */
    areBypassed,
    isConfigured: GUARD_KEYS.some((key) => settingIn(key) !== undefined),
    approvedFile: file || "approvedAgents",
    isUnread,
  };
}

// --- what the whole run exceeds

export function guardCards(effects: readonly Effect[], { areBypassed, settings }: Guards): Card[] {
  const texts = [...effects.flatMap(movedTexts), ...removalTexts(effects, settings)];
  return texts.map((text) => ({
    family: "guard",
    title: areBypassed ? say`⚠ ${text}` : say`⛔ ${text}`,
    notes: [[areBypassed ? "Bypassed for this run." : "No resource shows this by itself, so the report refuses it."]],
    facts: areBypassed ? [] : [{ condition: "guard", text }],
  }));
}

/** The guards that compare with what numbers have. The provider judges the other resource as a new one, for which no call moves. */
const OF_MOVES: ReadonlySet<Violation["guard"]> = new Set(["maxShift", "steps"]);

function movedTexts({ what, change, from, count = 0, plan, isAnew = false }: Effect): Text[] {
  const many = counted(count, "number");
  const who =
    from === undefined || from.name === change.name
      ? say`${many} of ${id(change.name)}, made anew`
      : say`${many} ${count === 1 ? "goes" : "go"} from ${id(from.name)} to ${id(change.name)}`;
  const violations = isAnew && (what === "move" || what === "update") ? (plan?.violations ?? []) : [];
  return violations
    .filter(({ guard }) => OF_MOVES.has(guard))
    .map(
      (one) =>
        say`${who}: ${violationText(one).replace(/^inboundAgents: |\.$/g, "")} (guard ${one.guard}, ${codeOf(one)})`,
    );
}

/**
 * If the stack sets maxRemove, it limits the whole run. If not, the default limit judges each deleted group alone, and only if other
 * resources declare some of its numbers.
 */
function removalTexts(effects: readonly Effect[], settings: Settings): Text[] {
  const cleared = effects.filter(({ what }) => what === "clear");
  if (settings.guards.maxRemove === undefined) {
    return cleared.flatMap((effect) => partText(effect, settings));
  }
  const lost = cleared.flatMap(({ numbers }) => (numbers.length > 0 ? numbers : ["a number that is not known yet"]));
  const [exceeded] = judgeRunRemoval(lost, 0, settings);
  return exceeded === undefined
    ? []
    : [
        say`${counted(lost.length, "number")} ${loseAgents(lost.length)} in this run (${someIds(lost)}); limit ${settings.guards.maxRemove} (guard maxRemove, ${codeOf(exceeded)})`,
      ];
}

export const loseAgents = (count: number | undefined): string =>
  count === 1 ? "loses its agents" : "lose their agents";

function partText({ change: { op, isLeftover, name, olds }, numbers }: Effect, settings: Settings): Text[] {
  if (op !== "delete" || isLeftover || olds === undefined || numbers.length === 0) {
    return [];
  }
  return judgeDelete(olds, numbers, settings).flatMap((one) =>
    one.guard === "maxRemove"
      ? [
          say`${numbers.length} of ${counted(membersOf(olds).size, "number")} of ${id(name)} lose their agents, and the others go on under another name; limit ${one.max} (guard maxRemove, ${codeOf(one)})`,
        ]
      : [],
  );
}

// --- agents that are not approved

/** Agents that get calls by this change and are not on the list, also if the guard lets so few calls pass. It may be a typing mistake. */
export function unapprovedCards(effects: readonly Effect[], { settings, areBypassed, approvedFile }: Guards): Card[] {
  const { approvedAgents, maxUnapproved } = settings.guards;
  const found = effects.flatMap((effect) =>
    gained(effect).filter(({ agent }) => approvedAgents?.includes(agent) === false),
  );
  const why = areBypassed
    ? "It passes, because the guards are bypassed for this run."
    : `It passes, because agents that are not approved may get up to ${round(maxUnapproved)} % of the calls (maxUnapproved).`;
  return groupBy(found, ({ agent }) => agent).map((same) => {
    const [{ agent }] = same;
    const { meant } = notApproved(agent, approvedAgents ?? []);
    const percents = new Set(same.map(({ percent }) => percent));
    const upTo = percents.size > 1 ? "up to " : "";
    const gets = `gets ${upTo}${round(Math.max(...percents))} % of the calls of ${numbersText(totalOf(same))}`;
    const asked = meant === undefined ? [] : say`: did you mean ${id(meant)}?`;
    return {
      family: "unapproved",
      title: say`⚠ ${id(agent)} is not in ${id(approvedFile)} and ${gets}${asked}`,
      notes: [[why]],
    };
  });
}

/** The agents that get more calls than before, with their percentage. */
function gained({ what, before, after, count }: Effect) {
  if (after === undefined || what === "uncertain") {
    return [];
  }
  const [had, has] = [before, after].map((state) => percentages(known(state?.inboundAgents) ?? {}));
  return Object.entries(has ?? {})
    .filter(([agent, percent]) => percent > (had?.[agent] ?? 0))
    .map(([agent, percent]) => ({ agent, percent, count }));
}

// --- CI gates: `--fail-on replace,delete,shift=25`

export interface Gate {
  readonly condition: Condition;
  /** The percentage points that a shift may move. */
  readonly points?: number;
}

export const FORMS = "create, delete, replace, shift=25, unresolved";

/** This gate is always there: it blocks a change that exceeds a guard as a whole. */
const GUARD: Gate = { condition: "guard" };

/** An empty text is an error, because a pipeline may have forgotten to set a variable, and then every change would pass. */
export function readGates(text: string): Gate[] {
  if (text.trim() === "") {
    throw new UsageError(`--fail-on is empty. Name conditions (${FORMS}), or leave the option out.`);
  }
  return text.split(",").map((word) => readGate(word.trim()));
}

function readGate(word: string): Gate {
  const [, points] = /^shift\s*[>=]\s*(\d{1,3}(?:\.\d{1,6})?)$/.exec(word) ?? [];
  const condition = points === undefined ? CONDITIONS.find((candidate) => candidate === word) : "shift";
  if (condition === undefined || condition === "guard" || (condition === "shift" && points === undefined)) {
    throw new UsageError(`--fail-on: "${word}" is not a condition. The conditions are: ${FORMS}.`);
  }
  return { condition, ...(points !== undefined && { points: Number(points) }) };
}

/** A gate, and what in the change it blocks. */
export type BlockingGate = ReturnType<typeof blockingGates>[number];

/** The gates that the change does not pass. */
export const blockingGates = (gates: readonly Gate[], { facts }: { readonly facts: readonly Fact[] }) =>
  [...gates, GUARD]
    .map((gate) => ({ gate, facts: facts.filter((fact) => blocks(gate, fact)) }))
    .filter(({ facts: blocked }) => blocked.length > 0);

/** A shift whose size is unknown does not pass. */
const blocks = (gate: Gate, { condition, points, excused }: Fact): boolean =>
  excused === undefined &&
  condition === gate.condition &&
  (gate.points === undefined || points === undefined || exceeds(points, gate.points));

export const gateText = ({ condition, points }: Gate): string =>
  points === undefined ? condition : `${condition}>${points}`;

/** Of a preview that has failed, not all changes are known. So no gate is said to have passed. */
export function gateLines(
  gates: readonly Gate[],
  { facts, hasFailed }: { readonly facts: readonly Fact[]; readonly hasFailed: boolean },
): Text[] {
  const blocking = blockingGates(gates, { facts });
  const passed = say`CI gate ${id(`--fail-on ${gates.map(gateText).join(",")}`)}: passed.`;
  return blocking.length > 0 || gates.length === 0 || hasFailed
    ? blocking.map((one) => say`⛔ CI gate ${id(gateText(one.gate))} blocks: ${factsText(one, 3)}.`)
    : [passed];
}

export const factsText = ({ facts }: Pick<BlockingGate, "facts">, most: number): Text =>
  some(
    facts.map(({ text }) => text),
    most,
    "; ",
  );
