import { parseArgs } from "node:util";
import { describe, isEmpty, round, type Split, shares } from "../provider/core/traffic";
import { type Command, columns, type Io, printable, processIo, UsageError, withUsage } from "./io";
import { formerHeld, labelOf, numbersHeld, numbersPending, openFor, overrideOf, routingHeld } from "./numberHolders";
import { readStates } from "./stackSources";
import { type Pending, type Properties, type Saved, SECRET, type StackState } from "./stateFile";

const usage = `Usage: agent-platform show <number> [--stack <name>] [--export <file>]

Says which resource of a stack holds a number, its split now and before, and where it was applied.
It reads state and sends nothing: what somebody changed by hand at the platform is not seen.
Exit code: 0 found, 1 no resource holds it, 2 wrong arguments.

  --stack <name>    export this stack with the Pulumi CLI; may be repeated
  --export <file>   the output of \`pulumi stack export\`; \`-\` is standard input; may be repeated
  --help            this text
`;

const options = {
  stack: { type: "string", multiple: true },
  export: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

export async function runShow(argv: readonly string[], io: Io): Promise<number> {
  return withUsage("show", io, async () => {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
    if (values.help) {
      io.stdout.write(usage);
      return 0;
    }
    const [number, ...more] = positionals;
    if (number === undefined || more.length > 0) throw new UsageError("Name one number.");
    if (values.stack === undefined && values.export === undefined) {
      throw new UsageError("Say where to look: --stack <name> or --export <file>.");
    }
    const states = await readStates(values.export ?? [], values.stack ?? [], io);
    const found = states.flatMap((state) => holdersIn(state, number));
    io.stdout.write(found.length === 0 ? notFound(number, states) : `${found.join("\n\n")}\n`);
    return found.length === 0 ? 1 : 0;
  });
}

export const showCommand: Command = {
  name: "show",
  summary: "Say which resource holds a number, its split now and before, and where it was applied",
  run: (argv) => runShow(argv, processIo()),
};

function notFound(number: string, states: readonly StackState[]): string {
  const unreadable = new Set(
    states.flatMap(({ resources, pending }) => [
      ...resources.filter(({ outputs }) => outputs.numbers === SECRET).map(({ name }) => `"${name}"`),
      ...pending.filter(isEncrypted).map(({ name }) => `"${name}"`),
    ]),
  );
  const note =
    unreadable.size === 0 ? "" : ` The numbers of ${[...unreadable].join(", ")} are encrypted and cannot be looked at.`;
  return printable(
    `${number}: no resource in ${states.map(({ source }) => source).join(", ")} holds it.${note}`,
  ).concat("\n");
}

const isEncrypted = ({ kind, inputs }: Pending): boolean =>
  kind !== undefined && (inputs.number === SECRET || inputs.numbers === SECRET);

function holdersIn(state: StackState, number: string): string[] {
  const holders = state.resources.filter(
    (one) => numbersHeld(one).includes(number) || openFor(one, number) === "leaving",
  );
  const urns = new Set(holders.map(({ urn }) => urn));
  const pending = state.pending
    .filter((step) => urns.has(step.urn) || numbersPending(step).includes(number))
    .map(({ operation, kind, name }) =>
      printable(
        `${number} in ${where(state)}: the engine was stopped while it was ${operation} ${kind} "${name}". \`agent-platform doctor\` says what to do.`,
      ),
    );
  return [...holders.map((one) => holderText(number, one, state)), ...pending];
}

const where = ({ source, stack, project }: StackState): string =>
  stack === undefined ? source : `stack ${stack} of project ${project}${source === stack ? "" : ` (${source})`}`;

function holderText(number: string, saved: Saved, state: StackState): string {
  const label = labelOf(saved, number);
  const title = printable(`${number}${label === "" ? "" : ` "${label}"`} in ${where(state)}`);
  return `${title}\n\n${columns(rowsOf(number, saved).map(([name, value]) => [name, printable(value)]))}`;
}

function rowsOf(number: string, saved: Saved): [string, string][] {
  const { kind, name, urn, outputs, isLeftover } = saved;
  const routing = routingHeld(saved, number);
  const own = Object.keys(overrideOf(saved, number));
  return [
    ["held by", `${kind} "${name}"${isLeftover ? ", replaced and not deleted yet" : ""}`],
    ["URN", urn],
    ["applied at", scopeText(outputs)],
    ...splitRows(number, saved, routing),
    ["outbound", outboundText(routing)],
    ["webhook", webhookText(text(routing.inboundWebhookUrl))],
    ["time routing", flagText(routing.isTimeRoutingEnabled)],
    ...(own.length === 0 ? [] : [["of its own", own.join(", ")] satisfies [string, string]]),
    ...openRows(number, saved),
  ];
}

/** A group saves what it was asked for, and beside it what each number may hold instead. */
function splitRows(number: string, saved: Saved, routing: Properties): [string, string][] {
  const open = openFor(saved, number);
  if (open === "leaving") return [["split wanted", "none: it left the group"]];
  return [
    [
      saved.kind === "NumberGroup" && open !== undefined ? "split wanted" : "split now",
      splitText(routing.inboundAgents),
    ],
    ["split before", before(saved.outputs)],
  ];
}

function scopeText({ endpoint, workspaceId, accountSid }: Properties): string {
  const scope = [
    workspaceId === undefined ? "" : `workspace ${String(workspaceId)}`,
    accountSid === undefined ? "" : `account ${String(accountSid)}`,
  ].filter(Boolean);
  return `${text(endpoint) ?? "an unknown platform"}${scope.length === 0 ? "" : ` (${scope.join(", ")})`}`;
}

/** Weights as written, and the shares that they make where those differ. */
function splitText(split: unknown): string {
  if (split === SECRET) return SECRET;
  if (!isSplit(split)) return "none declared";
  if (isEmpty(split)) return "no agent bound; what callers hear then is not shown by the platform";
  const percents = shares(split);
  const isPercent = Object.entries(split).every(([key, weight]) => Math.abs(weight - (percents[key] ?? 0)) < 1e-9);
  if (isPercent)
    return Object.entries(percents)
      .map(([agent, share]) => `${agent} ${round(share)} %`)
      .join(", ");
  const shown = Object.entries(percents).map(([, share]) => `${round(share)} %`);
  return `${describe(split)} (${shown.join(", ")})`;
}

const isSplit = (value: unknown): value is Split =>
  typeof value === "object" && value !== null && Object.values(value).every((weight) => typeof weight === "number");

const before = ({ previousInboundAgents }: Properties): string =>
  previousInboundAgents === undefined ? "no other one since it is here" : splitText(previousInboundAgents);

function outboundText({ outboundAgentId, outboundAgentVersion }: Properties): string {
  const id = text(outboundAgentId);
  if (id === undefined) return "none declared";
  return outboundAgentVersion === undefined ? id : `${id}@${text(outboundAgentVersion)}`;
}

/** A key behind the path is nobody's business. */
const webhookText = (url: string | undefined): string => url?.replace(/[?#].*$/s, "?…") ?? "none declared";

const flagText = (flag: unknown): string =>
  flag === SECRET ? SECRET : flag === undefined ? "not declared" : flag ? "on" : "off";

const text = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

// --- what is open

const MEANINGS: Readonly<Record<string, string>> = {
  unknown: "the outcome of the last request is not known: it may hold what is saved here, or what was asked then",
  different: "the platform answered something else than was asked",
  rejected: "the platform refused the last change: it holds what it had before",
  "not sent": "the last change was not sent: it holds what it had before",
  leaving: "it left the group and is not cleared yet: it holds what it had before",
  untouched: "it never got anything of this group: it holds what it had before",
};

function openRows(number: string, saved: Saved): [string, string][] {
  const open = openFor(saved, number);
  if (open === undefined) return [];
  const former = formerHeld(saved, number);
  return [
    ["NOT APPLIED", `${MEANINGS[open] ?? open}. The next \`pulumi up\` sends it again.`],
    ...(former === undefined ? [] : [["may hold", splitText(former.inboundAgents)] satisfies [string, string]]),
  ];
}
