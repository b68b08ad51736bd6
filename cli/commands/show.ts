import { printable } from "../../provider/base/text";
import type { Column } from "../../provider/routing/routing";
import type { Rollout } from "../../provider/routing/types";
import { isUnchanged, UNAPPLIED } from "../../provider/run/messages";
import type { UnappliedReason } from "../../provider/run/plan";
import { counted } from "../../provider/words/message";
import { CLI, defineCommand, JSON_OPTION } from "../command";
import type { Io } from "../io";
import { columns } from "../layout";
import { present } from "../lists";
import { escapeRunnerCommands, jsonText } from "../print";
import { readConfig } from "../pulumi/config";
import { STACKS_OPTION, stacksOf } from "../pulumi/stacks";
import { readState, type StackState, stackTitle } from "../pulumi/state";
import { ownCommand } from "../pulumi/target";
import { numbersIn, percentagesIn, percentagesText, splitIn } from "../pulumi/values";
import { currentText } from "../state/callers";
import { listed, NOT_UNASSIGNED, type SavedNumber, savedNumbers } from "../state/numbers";
import { openOperations, pendingText, resourceTitle } from "../state/resources";
import { percentOf, percentText } from "../state/stackRollout";
import { durationText, timeText } from "../state/time";

export const showCommand = defineCommand({
  name: "show",
  group: "Look into a stack",
  summary: "Show which resource declares a number, its split, and what was applied",
  usage: ["[number] [--stack <name>]… [options]"],
  examples: [`${CLI} show +15551234567 --stack prod`, `${CLI} show --stack prod`],
  about: `The command reads the saved state and the rollouts in the config, and sends nothing. It shows neither changes
made in the platform's web application nor a split that is in the program but was never applied. Without a number, it
lists all numbers.`,
  options: { ...STACKS_OPTION, json: JSON_OPTION },
  positionals: { min: 0, max: 1, error: "Name one number, or none to list all." },
  exitCodes: "0 found, 1 no resource declares the number, 2 wrong arguments",
  async run({ values, positionals: [number] }, io) {
    const names = await stacksOf(values.stack, io);
    const read = async (stack: string) => {
      const [state, config] = await Promise.all([readState({ stack }, io), readConfig({ stack }, io)]);
      return { state, numbers: savedNumbers(state, config) };
    };
    const stacks = await Promise.all(names.map(read));
    return number === undefined ? showAll(stacks, values.json, io) : showNumber(number, stacks, values.json, io);
  },
});

const unappliedLabel = (reason: UnappliedReason): string => (isUnchanged(reason) ? "not applied" : "unconfirmed");

interface KnownNumbers {
  readonly state: StackState;
  readonly numbers: readonly SavedNumber[];
}

function showAll(stacks: readonly KnownNumbers[], json: boolean | undefined, io: Io): number {
  const lists = stacks.map(({ state, numbers }) => ({ state, numbers: listed(numbers) }));
  const text = lists.map(listText).join("\n\n");
  io.stdout.write(
    json ? jsonText({ numbers: lists.flatMap(({ numbers }) => numbers) }) : escapeRunnerCommands(`${text}\n`),
  );
  return 0;
}

/** Lists a stack's numbers, one per line, such as `+15551234567  agent_front@12 100%; resource support`. */
function listText({ state, numbers }: KnownNumbers): string {
  const rows = numbers.map((saved) => {
    const { number, label, resource, isReplaced, current, wanted, unapplied } = saved;
    const parts = [
      `${current.length > 1 ? "may have " : ""}${currentText(saved)}`,
      wanted !== undefined && `wanted: ${percentagesText(wanted)}`,
      wanted === undefined && unapplied !== undefined && unappliedLabel(unapplied.reason),
      isReplaced && NOT_UNASSIGNED,
      `resource ${resource.name}`,
      label !== undefined && `"${label}"`,
    ];
    return [number, present(parts).join("; ")] as const;
  });
  const saved = new Set(numbers.map(({ number }) => number));
  const inFlight = openOperations(state).flatMap(({ name, inputs }) =>
    numbersIn(inputs)
      .filter((number) => !saved.has(number))
      .map(
        (number) =>
          [
            number,
            `may have ${percentagesText(percentagesIn(splitIn(inputs.inboundAgents)))}; resource ${name}`,
          ] as const,
      ),
  );
  const isCertain = inFlight.length === 0 && numbers.every(({ stopped }) => stopped === undefined);
  return present([
    printable(`${counted(numbers.length, "number")} in ${stackTitle(state)}`),
    numbers.length + inFlight.length > 0 && table([...rows, ...inFlight]),
    !isCertain &&
      `A run was stopped while it was sending routings to some of these numbers. To see what to do, run:\n  ${ownCommand(state.target, "doctor")}`,
  ]).join("\n\n");
}

const table = (rows: readonly (readonly [string, string])[]): string =>
  columns(rows.map(([name, text]) => [printable(name), printable(text)]));

function showNumber(number: string, stacks: readonly KnownNumbers[], json: boolean | undefined, io: Io): number {
  const inStacks = stacks.map(({ state, numbers }) => {
    const found = numbers.filter((entry) => entry.number === number);
    const isFound = (urn: string) => found.some(({ resource }) => resource.urn === urn);
    const steps = openOperations(state).filter(({ urn, inputs }) => isFound(urn) || numbersIn(inputs).includes(number));
    return { state, found, steps };
  });
  const texts = inStacks.flatMap(({ state, found, steps }) => [
    ...found.map((saved) => numberText(saved, state, io.now())),
    ...steps.map((step) =>
      printable(
        `${number} in ${stackTitle(state)}: ${pendingText(step, resourceTitle(step))}. To see what to do, run:`,
      ).concat(`\n  ${ownCommand(state.target, "doctor")}`),
    ),
  ]);
  const pending = inStacks.flatMap(({ state, steps }) =>
    steps.map(({ inputs: _, ...step }) => ({ ...step, stack: state.stack })),
  );
  const found = inStacks.flatMap((inStack) => inStack.found);
  const text = texts.length === 0 ? notFound(number, stacks) : texts.join("\n\n");
  io.stdout.write(json ? jsonText({ number, found, pending }) : escapeRunnerCommands(`${text}\n`));
  return texts.length === 0 ? 1 : 0;
}

function notFound(number: string, stacks: readonly KnownNumbers[]): string {
  // To find a number that the user may have meant, compare only the digits, because people write the same number in
  // many ways.
  const digitsOf = (text: string) => text.replace(/\D/g, "");
  const digits = digitsOf(number);
  const saved = stacks.flatMap(({ numbers }) => numbers);
  const similar = saved.find((other) => digits !== "" && digitsOf(other.number) === digits);
  const hint = similar === undefined ? "" : ` Did you mean ${similar.number}?`;
  const stackNames = stacks.map(({ state }) => state.target.stack).join(", ");
  return printable(
    `No resource in ${stacks.length === 1 ? "stack" : "the stacks"} ${stackNames} declares ${number}.${hint}`,
  );
}

function numberText(saved: SavedNumber, state: StackState, now: Date): string {
  const { number, label, resource, isReplaced, rollout, since, splitBefore, current, wanted, unapplied, stopped } =
    saved;
  const otherFields: Readonly<Record<Exclude<Column, "agents">, string>> = {
    outbound: saved.outboundAgent ?? "none declared",
    webhook: saved.webhook ?? "none declared",
    "time routing": flagText(saved.isTimeRoutingEnabled),
  };
  const title = `${number}${label === undefined ? "" : ` "${label}"`} in ${stackTitle(state)}`;
  const rows = present<[string, string]>([
    ["declared by", `${resourceTitle(resource)}${isReplaced ? ", replaced and not deleted yet" : ""}`],
    ["applied at", scopeText(saved)],
    [current.length > 1 ? "may have" : "split now", currentText(saved)],
    wanted !== undefined && ["split wanted", percentagesText(wanted)],
    // If a run was stopped while it was changing this resource, print no rollout, because the saved state doesn't
    // contain the rollout that this run was applying.
    rollout !== undefined &&
      stopped === undefined && [
        unapplied === undefined && wanted === undefined ? "rollout" : "rollout wanted",
        rolloutText(rollout),
      ],
    since !== undefined && ["since", `${timeText(since)}, ${durationText(now.getTime() - since.getTime())}`],
    ["split before", percentagesText(splitBefore, wanted && !since ? "not known" : "none recorded")],
    ...Object.entries(otherFields),
    unapplied && [
      unappliedLabel(unapplied.reason),
      `${UNAPPLIED[unapplied.reason]}. The next \`pulumi up\` sends the routing again.`,
    ],
  ]);
  // Print the URN on a separate line, because it is long and is copied as a whole.
  return `${printable(title)}\n\n${table(rows)}\n\nURN:\n${printable(resource.urn)}`;
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
      : `${candidate} at ${percentText(percentOf(rollout))}, alongside ${stable}`;
  const suffix = aborted === undefined ? "" : `; ${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}`;
  return `${name === undefined ? "" : `${name}: `}${agents}${suffix}`;
}

function scopeText({ endpoint, workspaceId, accountSid }: SavedNumber): string {
  const workspace = workspaceId !== undefined && `workspace ${String(workspaceId)}`;
  const scope = present([workspace, accountSid !== undefined && `account ${String(accountSid)}`]).join(", ");
  return `${String(endpoint ?? "an unknown platform")}${scope && ` (${scope})`}`;
}
