import type { NumbersState } from "../../provider/core/change/state";
import { parseJson } from "../../provider/core/common/json";
import { NAMESPACE } from "../../provider/core/config/settings";
import { UNAPPLIED } from "../../provider/core/messages";
import { steps as stepsSchema } from "../../provider/core/routing/rollout";
import { agentKey } from "../../provider/core/routing/split";
import { recordedIn } from "../history/changes";
import { notesOf } from "../history/notes";
import { type ToldChange, toldChanges } from "../history/told";
import { groupBy } from "../lists";
import type { StackConfig } from "../pulumi/config";
import { numberOf, stateIn } from "../pulumi/coreState";
import type { Update } from "../pulumi/history";
import { hasHiddenNumbers, membersOf, numbersHeld, resourcesOfNumbers, titleOf } from "../pulumi/numbersHeld";
import type { StackState } from "../pulumi/stackExport";
import { type Properties, SECRET, splitText } from "../pulumi/values";
import { inStages } from "../report/stacks/order";
import { nameMeant } from "../rollout/after";
import { rolloutOf, sinceOf, timeOf, unappliedIn } from "../rollout/standing";
import type { Attention, Board, NumberRow, RolloutCard, RolloutPart, Stage } from "./board";
import { type Configured, configured, outlook } from "./outlook";

/** Makes the data of the page from what the Pulumi CLI printed of each stack. */

/** What was read of a stack. */
export interface StackSource {
  readonly stack: string;
  readonly state: StackState;
  readonly settings: StackConfig;
  readonly updates: readonly Update[];
}

export function boardOf(
  project: string,
  given: readonly StackSource[],
  attention: readonly Attention[],
  madeAt: Date,
): Board {
  const sources = inStages(given.map((one) => ({ ...one, config: valuesOf(one.settings) })));
  const changes = sources
    .flatMap(({ stack, state, updates }) => toldChanges(stack, state, updates))
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
  const read = sources.map((source) => ({
    ...source,
    parts: partsIn(source.state),
    rollouts: configured(source.config),
  }));
  return {
    project,
    madeAt,
    stacks: sources.map(({ stack }) => stack),
    attention,
    rollouts: rolloutCards(read, changes, madeAt),
    changes,
    numbers: sources.flatMap(({ stack, state }) => numberRows(stack, state)),
    notes: sources.flatMap(({ stack, state, updates }) => [
      ...(updates.length === 0 ? [`Pulumi has recorded no run of ${stack}.`] : []),
      ...notesOf(state),
      ...hiddenNotes(state),
    ]),
  };
}

const valuesOf = (settings: StackConfig): Properties =>
  Object.fromEntries(Object.entries(settings).map(([key, { value }]) => [key, value]));

// --- the rollouts

type Read = StackSource & {
  readonly parts: readonly RolloutPart[];
  readonly rollouts: ReadonlyMap<string, Configured>;
  readonly config: Properties;
};

const partsIn = (state: StackState): RolloutPart[] =>
  resourcesOfNumbers(state).flatMap((saved) => {
    const rollout = recordedIn(saved.outputs.rollout);
    const name = rolloutOf(saved.outputs)?.name;
    return rollout === undefined ? [] : [{ name: name ?? saved.name, isInConfig: name !== undefined, rollout, saved }];
  });

function rolloutCards(all: readonly Read[], changes: readonly ToldChange[], madeAt: Date): RolloutCard[] {
  const found = all.flatMap((read) =>
    groupBy(read.parts, ({ name, isInConfig }) => JSON.stringify([name, isInConfig])).map((parts) => ({ read, parts })),
  );
  return groupBy(found, ({ parts: [{ name, isInConfig }] }) => JSON.stringify([name, isInConfig])).map((stages) => {
    const [{ name, isInConfig }] = stages[0].parts;
    return { name, isInConfig, stages: stages.map(({ read, parts }) => stageOf(read, parts, all, changes, madeAt)) };
  });
}

function stageOf(
  read: Read,
  parts: readonly [RolloutPart, ...RolloutPart[]],
  all: readonly Read[],
  changes: readonly ToldChange[],
  madeAt: Date,
): Stage {
  const since = sinceOf(parts.map(({ saved }) => saved));
  const newest = parts.toSorted((a, b) => text(b.saved.outputs.since).localeCompare(text(a.saved.outputs.since), "en"));
  const { name, isInConfig, rollout } = newest[0] ?? parts[0];
  const steps = stepsIn(read.settings);
  const change = isInConfig ? changes.find((one) => one.stack === read.stack && one.rollout === name) : undefined;
  return {
    stack: read.stack,
    numbers: parts.reduce((sum, { saved }) => sum + numbersHeld(saved).length, 0),
    rollout,
    steps,
    since,
    origin: change?.origin,
    next: outlook({
      rollout,
      parts,
      steps,
      since,
      now: madeAt,
      inConfig: read.rollouts.get(isInConfig ? name : ""),
      unapplied: unappliedIn(read.state, name),
      pending: read.state.pending.find(({ urn }) => parts.some(({ saved }) => saved.urn === urn)),
      rolloutIn: (stack, named) => partOf(all.find((one) => one.stack === stack)?.parts ?? [], named, name)?.rollout,
    }),
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function partOf(parts: readonly RolloutPart[], named: string | undefined, usual: string): RolloutPart | undefined {
  const own = parts.filter(({ isInConfig }) => isInConfig);
  const name = nameMeant(named, [...new Set(own.map((part) => part.name))], usual);
  return own.find((part) => part.name === name);
}

/** The percentages of the setting; none if it is not set, or not usable. */
function stepsIn(settings: StackConfig): readonly number[] {
  const { value } = settings[`${NAMESPACE}:steps`] ?? {};
  return stepsSchema.safeParse(value === undefined ? undefined : parseJson(value)).data ?? [];
}

// --- the numbers

function numberRows(stack: string, state: StackState): NumberRow[] {
  return resourcesOfNumbers(state).flatMap((saved) => {
    const all = stateIn(saved.outputs);
    const [since] = timeOf(saved.outputs.since);
    const rollout = recordedIn(saved.outputs.rollout);
    return [...membersOf(saved)].map(([number, label]) => {
      const held = numberOf(number, all);
      return {
        number,
        label,
        stack,
        rollout: rolloutOf(saved.outputs)?.name,
        stable: rollout?.stable,
        candidate: rollout?.candidate,
        split: held.inboundAgents,
        problem: problemOf(held),
        outbound: outboundOf(held),
        since: held.unapplied === undefined ? since : undefined,
      };
    });
  });
}

function problemOf({ unapplied: [missed] = [], inboundAgents }: NumbersState): string | undefined {
  if (missed === undefined) {
    return undefined;
  }
  const { reason, applied, maybe } = missed;
  const wanted = `wanted ${splitText(inboundAgents)}`;
  const last = `applied last: ${applied === undefined ? "nothing" : splitText(applied.inboundAgents)}`;
  const other = maybe === undefined ? "" : `, may have ${splitText(maybe.inboundAgents)}`;
  return `${UNAPPLIED[reason]}: ${wanted}, ${last}${other}`;
}

const outboundOf = ({ outboundAgentId: id, outboundAgentVersion: version }: NumbersState): string | undefined => {
  if (typeof id !== "string" || id === SECRET) {
    return id === undefined ? undefined : SECRET;
  }
  return typeof version === "number" ? agentKey({ agentId: id, agentVersion: version }) : id;
};

const hiddenNotes = (state: StackState): string[] =>
  resourcesOfNumbers(state)
    .filter(hasHiddenNumbers)
    .map((saved) => `The numbers of ${titleOf(saved)} in ${state.source} are encrypted, so they are not here.`);
