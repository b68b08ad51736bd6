import { printable } from "../../provider/core/common/redact";
import { counted, UNAPPLIED } from "../../provider/core/messages";
import { FIELDS, FLAGS } from "../../provider/core/routing/fields";
import { CALLED, defineCommand, JSON_OPTION } from "../command";
import { columns, type Io, jsonText, wrappedColumns } from "../io";
import { present } from "../lists";
import { readState, type StackState, stackTitle } from "../pulumi/stackExport";
import { STACKS_OPTION, stacksOf } from "../pulumi/stacks";
import { percentsText } from "../pulumi/values";
import { brokenOffText } from "../stack/findings";
import { type NumberValues, numberValues } from "../stack/numbers";
import { numbersPending, titleOf } from "../stack/numbersHeld";
import { percentOf, percentText, type Rollout } from "../stack/rollout";
import { durationText, timeText } from "../stack/time";

export const showCommand = defineCommand({
  name: "show",
  group: "Look into a stack",
  summary: "Show who holds a number, its split, and what was applied",
  usage: ["[number] [options]"],
  examples: [`${CALLED} show +15551234567 --stack prod`, `${CALLED} show --stack prod`],
  about: `It reads saved state and sends nothing. It does not see changes made in the
platform's web application. Without a number it lists all of them.`,
  options: { ...STACKS_OPTION, json: JSON_OPTION },
  takes: { least: 0, most: 1, rule: "Name one number, or none to list all." },
  exitCodes: "0 found, 1 no resource holds the number, 2 wrong arguments",
  async run({ values, positionals: [number] }, io) {
    const names = await stacksOf(values.stack, io);
    const states = await Promise.all(names.map((name) => readState(name, io)));
    const stacks = states.map((state) => ({ state, numbers: numberValues(state) }));
    return number === undefined ? list(stacks, values.json, io) : one(number, stacks, values.json, io);
  },
});

interface Stack {
  readonly state: StackState;
  readonly numbers: readonly NumberValues[];
}

function list(stacks: readonly Stack[], json: boolean | undefined, io: Io): number {
  const lists = stacks.map(({ state, numbers }) => ({ state, numbers: numbers.filter((one) => !one.isReplaced) }));
  io.stdout.write(
    json
      ? jsonText({ numbers: lists.flatMap(({ numbers }) => numbers) })
      : `${lists.map(({ state, numbers }) => listText(state, numbers)).join("\n\n")}\n`,
  );
  return 0;
}

/** `+15551234567  agent_front@12 100 %; support; London`. */
function listText(state: StackState, numbers: readonly NumberValues[]): string {
  const rows = numbers.map(({ number, label, heldBy, split, unapplied, stopped }): [string, string] => {
    const doubt = unapplied === undefined ? "" : ", not applied";
    const parts = [`${percentsText(split)}${stopped === undefined ? doubt : NOT_CERTAIN}`, heldBy.name, label];
    return [number, present(parts).join("; ")];
  });
  const saved = new Set(numbers.map(({ number }) => number));
  const sent = state.pending.flatMap((step) =>
    numbersPending(step).flatMap((number): [string, string][] =>
      saved.has(number) ? [] : [[number, `nothing saved${NOT_CERTAIN}; ${step.name}`]],
    ),
  );
  const all = [...rows, ...sent].map(([number, text]): [string, string] => [printable(number), printable(text)]);
  const isCertain = sent.length === 0 && numbers.every(({ stopped }) => stopped === undefined);
  return present([
    printable(`${counted(numbers.length, "number")} in ${stackTitle(state)}`),
    all.length > 0 && wrappedColumns(all),
    !isCertain && `A run was stopped while it sent to some. What to do:\n  ${CALLED} doctor --stack ${state.asked}`,
  ]).join("\n\n");
}

const NOT_CERTAIN = ", not certain";

function one(number: string, stacks: readonly Stack[], json: boolean | undefined, io: Io): number {
  const entries = stacks.map(({ state, numbers }) => entriesIn(number, state, numbers));
  const found = entries.flatMap(({ holders }) => holders);
  const pending = entries.flatMap(({ steps }) => steps);
  const texts = entries.flatMap(({ state, holders, steps }) => [
    ...holders.map((holder) => holderText(holder, state, io.now())),
    ...steps.map((step) => pendingText(number, step, state)),
  ]);
  const text = texts.length === 0 ? notFound(number, stacks) : texts.join("\n\n");
  io.stdout.write(json ? jsonText({ number, found, pending }) : `${text}\n`);
  return texts.length === 0 ? 1 : 0;
}

/** The resources that hold the number, and the stopped steps that were about it. */
function entriesIn(number: string, state: StackState, numbers: readonly NumberValues[]) {
  const holders = numbers.filter((shown) => shown.number === number);
  const isAbout = (urn: string) => holders.some(({ heldBy }) => heldBy.urn === urn);
  const steps = state.pending
    .filter((step) => isAbout(step.urn) || numbersPending(step).includes(number))
    .map(({ operation, kind, name, urn, stopped }) => ({ operation, kind, name, urn, stopped, stack: state.stack }));
  return { state, holders, steps };
}

function notFound(number: string, stacks: readonly Stack[]): string {
  const digits = digitsOf(number);
  const shown = stacks.flatMap(({ numbers }) => numbers);
  const meant = shown.find((other) => digits !== "" && digitsOf(other.number) === digits);
  const hint = meant === undefined ? "" : ` Did you mean ${meant.number}?`;
  return printable(`${number}: no resource in ${stacks.map(({ state }) => state.asked).join(", ")} holds it.${hint}`);
}

/** The digits of a number, because people write a number in many ways. */
const digitsOf = (number: string): string => number.replace(/\D/g, "");

type Stopped = ReturnType<typeof entriesIn>["steps"][number];

const pendingText = (number: string, step: Stopped, state: StackState): string =>
  printable(
    `${number} in ${stackTitle(state)}: ${brokenOffText(step, titleOf(step))}. \`${CALLED} doctor --stack ${state.asked}\` says what to do.`,
  );

function holderText(shown: NumberValues, state: StackState, now: Date): string {
  const label = shown.label === undefined ? "" : ` "${shown.label}"`;
  const rows = rowsOf(shown, now).map(([name, value]): [string, string] => [name, printable(value)]);
  return `${printable(`${shown.number}${label} in ${stackTitle(state)}`)}\n\n${columns(rows)}`;
}

function rowsOf(shown: NumberValues, now: Date): [string, string][] {
  const { heldBy, isReplaced, rollout, since, splitBefore, stopped, unapplied } = shown;
  const recorded = stopped === undefined ? "split now" : "split saved";
  return present<[string, string]>([
    ["held by", `${titleOf(heldBy)}${isReplaced ? ", replaced and not deleted yet" : ""}`],
    ["URN", heldBy.urn],
    ["applied at", scopeText(shown)],
    [unapplied === undefined ? recorded : "split wanted", percentsText(shown.split)],
    rollout !== undefined && ["rollout", rolloutText(rollout)],
    since !== undefined && ["since", `${timeText(since)}, ${durationText(now.getTime() - since.getTime())}`],
    ["split before", percentsText(splitBefore, "none recorded")],
    [FIELDS.outboundAgentId.column, shown.outboundAgent ?? "none declared"],
    [FIELDS.inboundWebhookUrl.column, shown.webhook ?? "none declared"],
    ...FLAGS.map((name): [string, string] => [FIELDS[name].column, flagText(shown[name])]),
    unapplied && ["not applied", `${UNAPPLIED[unapplied.reason]}. The next \`pulumi up\` sends it again.`],
    unapplied && ["applied last", percentsText(unapplied.applied, "nothing of this resource")],
    unapplied &&
      unapplied.maybe.length > 0 && ["may hold", unapplied.maybe.map((all) => percentsText(all)).join(" or ")],
  ]);
}

function flagText(flag: boolean | undefined): string {
  if (flag === undefined) {
    return "not declared";
  }
  return flag ? "on" : "off";
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

function scopeText({ endpoint, workspaceId, accountSid }: NumberValues): string {
  const workspace = workspaceId !== undefined && `workspace ${String(workspaceId)}`;
  const scope = present([workspace, accountSid !== undefined && `account ${String(accountSid)}`]).join(", ");
  return `${String(endpoint ?? "an unknown platform")}${scope && ` (${scope})`}`;
}
