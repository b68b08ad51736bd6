import type { NumbersState } from "../../provider/core/change/state";
import { printable } from "../../provider/core/common/redact";
import { UNAPPLIED } from "../../provider/core/messages";
import {
  FIELDS,
  type FieldOf,
  type KindOf,
  TABLE_FIELDS,
  type TableField,
  versionFieldOf,
} from "../../provider/core/routing/fields";
import { CALLED, defineCommand, JSON_OPTION } from "../command";
import { UsageError } from "../errors";
import { columns, type Io, jsonText, nowOf } from "../io";
import { present } from "../lists";
import { hasHiddenNumbers, membersOf, numberHeld, numbersHeld, numbersPending, titleOf } from "../pulumi/numbersHeld";
import { encryptedText, listText, numbersListed } from "../pulumi/numbersListed";
import { type Pending, readStates, type SavedResource, STATE_OPTIONS, type StackState } from "../pulumi/stackExport";
import { ALL_STACKS, stacksNamed } from "../pulumi/stackNames";
import { maybeText, type Properties, SECRET, splitIn, splitText, withoutQuery } from "../pulumi/values";
import { timeOf } from "../rollout/standing";
import { durationText, timeText } from "../rollout/time";
import { percentOf, percentText, type Rollout, rolloutIn } from "../rollout/value";

export const showCommand = defineCommand({
  name: "show",
  group: "Look into a stack",
  summary: "Show which resource holds a number, its split now and before, and where it was applied",
  usage: ["[number] [options]"],
  examples: [
    `${CALLED} show +15551234567 --stack prod`,
    `${CALLED} show --stack prod`,
    `pulumi stack export | ${CALLED} show +15551234567 --export -`,
  ],
  about: `It reads saved state and sends nothing. It does not see changes made in the platform's web application. Without a
number it lists all of them.`,
  options: { ...STATE_OPTIONS, ...ALL_STACKS, json: JSON_OPTION },
  takes: { least: 0, most: 1, rule: "Name one number, or none to list all." },
  exitCodes: "0 found, 1 no resource holds the number, 2 wrong arguments",
  async run({ values, positionals: [number] }, io) {
    const stack = stacksNamed(values, io);
    if (stack.length === 0 && values.export === undefined) {
      throw new UsageError("Say where to look: --stack <name>, --all-stacks or --export <file>.");
    }
    const states = await readStates({ ...values, stack }, io);
    if (number === undefined) {
      return list(states, values, io);
    }
    const now = nowOf(io);
    const found = states.flatMap((state) => entriesIn(state, number, now));
    if (values.json) {
      io.stdout.write(jsonText({ number, found, ...encryptedJson(states) }));
    } else {
      io.stdout.write(found.length === 0 ? notFound(number, states) : `${found.map(entryText).join("\n\n")}\n`);
    }
    return found.length === 0 ? 1 : 0;
  },
});

function list(states: readonly StackState[], { json }: { readonly json?: boolean | undefined }, io: Io): number {
  const lists = states.map((state) => ({ state, list: numbersListed(state) }));
  if (json) {
    const found = lists.flatMap(({ state: { stack, project }, list: { numbers } }) =>
      numbers.map((one) => ({ ...one, stack, project })),
    );
    io.stdout.write(jsonText({ numbers: found, ...encryptedJson(states) }));
  } else {
    io.stdout.write(`${lists.map(({ state, list: all }) => listText(where(state), all)).join("\n\n")}\n`);
  }
  return 0;
}

/** The names of the resources, and of stopped steps, whose numbers cannot be looked at. */
const encryptedIn = (states: readonly StackState[]): string[] => [
  ...new Set(
    states
      .flatMap(({ resources, pending }) => [...resources.filter(hasHiddenNumbers), ...pending.filter(isEncrypted)])
      .map(({ name }) => name),
  ),
];

function encryptedJson(states: readonly StackState[]): { readonly encrypted?: readonly string[] } {
  const encrypted = encryptedIn(states);
  return encrypted.length === 0 ? {} : { encrypted };
}

function notFound(number: string, states: readonly StackState[]): string {
  const encrypted = encryptedIn(states).map((name) => `"${name}"`);
  const note = encrypted.length === 0 ? "" : ` ${encryptedText(encrypted)}`;
  const sources = states.map(({ source }) => source).join(", ");
  const held = states.flatMap(({ resources }) => resources.flatMap(numbersHeld));
  const meant = held.find((one) => digitsOf(one) !== "" && digitsOf(one) === digitsOf(number));
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return `${printable(`${number}: no resource in ${sources} holds it.${hint}${note}`)}\n`;
}

/** The digits of a number, because people write a number in many ways. */
const digitsOf = (number: string): string => number.replace(/\D/g, "");

const isEncrypted = ({ kind, inputs }: Pending): boolean => kind !== undefined && hasHiddenNumbers({ outputs: inputs });

/** A resource that holds the number, or a stopped step that was about it. */
type NumberEntry = ReturnType<typeof holderEntry>;

function entriesIn(state: StackState, number: string, now: Date): NumberEntry[] {
  const holders = state.resources.filter((one) => numbersHeld(one).includes(number));
  const urns = new Set(holders.map(({ urn }) => urn));
  const pending = state.pending
    .filter((step) => urns.has(step.urn) || numbersPending(step).includes(number))
    .map((step) => ({
      title: printable(
        `${number} in ${where(state)}: the engine was stopped while it was ${step.operation} ${titleOf(step)}. \`${CALLED} doctor\` says what to do.`,
      ),
      rows: {},
    }));
  return [...holders.map((one) => holderEntry(number, one, state, now)), ...pending];
}

const where = ({ source, stack, project }: StackState): string =>
  stack === undefined ? source : `stack ${stack} of project ${project}${source === stack ? "" : ` (${source})`}`;

function holderEntry(number: string, saved: SavedResource, state: StackState, now: Date) {
  const label = membersOf(saved).get(number) ?? "";
  return {
    title: printable(`${number}${label === "" ? "" : ` "${label}"`} in ${where(state)}`),
    rows: Object.fromEntries(rowsOf(number, saved, now).map(([name, value]) => [name, printable(value)])),
  };
}

const entryText = ({ title, rows }: NumberEntry): string =>
  Object.keys(rows).length === 0 ? title : `${title}\n\n${columns(Object.entries(rows))}`;

function rowsOf(number: string, saved: SavedResource, now: Date): [string, string][] {
  const { urn, outputs, isLeftover } = saved;
  const held = numberHeld(saved, number);
  return present<[string, string]>([
    ["held by", `${titleOf(saved)}${isLeftover ? ", replaced and not deleted yet" : ""}`],
    ["URN", urn],
    ["applied at", scopeText(outputs)],
    [held.unapplied === undefined ? "split now" : "split wanted", splitText(held.inboundAgents)],
    ...rolloutRows(outputs, now),
    ["split before", beforeText(outputs)],
    ...BESIDE_SPLIT.map((field): [string, string] => [FIELDS[field].column, fieldText(field, held)]),
    ...unappliedRows(held),
  ]);
}

function rolloutRows(outputs: Properties, now: Date): [string, string][] {
  const rollout = rolloutIn(outputs.rollout);
  const [since] = timeOf(outputs.since);
  return present<[string, string]>([
    rollout !== undefined && ["rollout", rolloutText(rollout)],
    since !== undefined && ["since", `${timeText(since)}, ${durationText(now.getTime() - since.getTime())}`],
  ]);
}

function rolloutText(rollout: Rollout): string {
  const { name, stable, candidate, aborted } = rollout;
  const agents =
    candidate === undefined
      ? `${stable}, no candidate`
      : `${candidate} at ${percentText(percentOf(rollout))}, beside ${stable}`;
  const end = aborted === undefined ? "" : `; ${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}`;
  return `${name === undefined ? "" : `${name}: `}${agents}${end}`;
}

/** The rows about a number that was not applied. */
function unappliedRows({ unapplied: [missed] = [] }: NumbersState): [string, string][] {
  if (missed === undefined) {
    return [];
  }
  const { reason, applied } = missed;
  const others = maybeText(missed);
  return present<[string, string]>([
    ["not applied", `${UNAPPLIED[reason]}. The next \`pulumi up\` sends it again.`],
    ["applied last", applied === undefined ? "nothing of this resource" : splitText(applied.inboundAgents)],
    others !== undefined && ["may hold", others],
  ]);
}

function scopeText({ endpoint, workspaceId, accountSid }: Properties): string {
  const scope = [
    workspaceId === undefined ? "" : `workspace ${String(workspaceId)}`,
    accountSid === undefined ? "" : `account ${String(accountSid)}`,
  ].filter(Boolean);
  return `${text(endpoint) ?? "an unknown platform"}${scope.length === 0 ? "" : ` (${scope.join(", ")})`}`;
}

const beforeText = ({ previousInboundAgents }: Properties): string =>
  previousInboundAgents === undefined ? "none recorded" : splitText(splitIn(previousInboundAgents));

type BesideSplit = Exclude<TableField, FieldOf<"split">>;
const BESIDE_SPLIT = TABLE_FIELDS.filter((field): field is BesideSplit => FIELDS[field].value !== "split");

/** What a field holds, in words. */
const TEXTS: Readonly<Record<KindOf<BesideSplit>, (value: unknown, version: unknown) => string>> = {
  agent: agentText,
  url: (value) => withoutQuery(text(value) ?? "none declared"),
  flag: flagText,
};

function fieldText(field: BesideSplit, held: NumbersState): string {
  const version = versionFieldOf(field);
  return TEXTS[FIELDS[field].value](held[field], version && held[version]);
}

function agentText(agent: unknown, version: unknown): string {
  const id = text(agent);
  if (id === undefined) {
    return "none declared";
  }
  return version === undefined ? id : `${id}@${text(version)}`;
}

function flagText(flag: unknown): string {
  if (flag === SECRET || flag === undefined) {
    return flag === SECRET ? SECRET : "not declared";
  }
  return flag ? "on" : "off";
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;
