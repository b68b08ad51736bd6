import * as z from "zod";
import { parseJson } from "../../provider/core/common/json";
import { nameOf, partsOf } from "../../provider/core/common/urn";
import type { ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Io, readText } from "../io";
import { runPulumi } from "./cli";
import { kindOf } from "./urn";
import { normalProperties } from "./values";

/** Reads what `pulumi stack export` prints about this platform. Secrets are masked at once. */

/** A resource as it is saved. */
export type SavedResource = ReturnType<typeof toSaved>[number];

/** A step that was under way when the engine was stopped. */
export type Pending = ReturnType<typeof toPending>;

export interface StackState extends ReturnType<typeof parseState> {
  /** The name that `--stack` gave; undefined for a file. */
  readonly asked: string | undefined;
}

const properties = z.record(z.string(), z.unknown()).nullish().transform(normalProperties);

const resource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().nullish(),
  inputs: properties,
  outputs: properties,
  initErrors: z.array(z.unknown()).nullish(),
  delete: z.boolean().nullish(),
});

const deployment = z.object({
  resources: z.array(resource).nullish(),
  pending_operations: z.array(z.object({ resource, type: z.string() })).nullish(),
});

/** An export, or the file in which a backend of files keeps a stack. */
const exported = z.union([
  z.object({ deployment: deployment.nullable() }).transform((file) => file.deployment),
  z.object({ checkpoint: z.object({ latest: deployment.nullish() }) }).transform((file) => file.checkpoint.latest),
]);

/** The options of every command that reads states. */
export const STATE_OPTIONS = {
  stack: { type: "string", multiple: true, value: "<name>", help: "a stack, exported with the Pulumi CLI; repeatable" },
  export: {
    type: "string",
    multiple: true,
    value: "<file>",
    help: "a file that `pulumi stack export` printed; - is standard input; repeatable",
  },
} as const;

export type StateSources = ValuesOf<typeof STATE_OPTIONS>;

/** Files first, then the stacks that the CLI exports. Nothing is sent to the platform. */
export async function readStates({ stack = [], export: files = [] }: StateSources, io: Io): Promise<StackState[]> {
  const states: StackState[] = [];
  for (const file of files) {
    states.push({ ...parseState(await readText(file, io), file === "-" ? "standard input" : file), asked: undefined });
  }
  for (const name of stack) {
    states.push(await readState(name, io));
  }
  return states;
}

export async function readState(stack: string, io: Io): Promise<StackState> {
  const text = await runPulumi(["stack", "export", "--stack", stack], io);
  return { ...parseState(text, stack), asked: stack };
}

function parseState(text: string, source: string) {
  const json = parseJson(text);
  if (json === undefined) {
    throw new UsageError(`${source} is not JSON. \`pulumi stack export\` prints what is needed.`);
  }
  const parsed = exported.safeParse(json);
  if (!parsed.success) {
    throw new UsageError(`${source} is not the export of a stack. Make one with \`pulumi stack export\`.`);
  }
  const all = parsed.data?.resources ?? [];
  const pending = (parsed.data?.pending_operations ?? []).map(toPending);
  const urn = all[0]?.urn ?? pending[0]?.urn;
  const { stack, project } = urn === undefined ? {} : partsOf(urn);
  return {
    /** The name of the file or of the stack that it was read from. */
    source,
    stack,
    project,
    resources: all.flatMap(toSaved),
    pending,
  };
}

type ResourceEntry = z.infer<typeof resource>;

const named = ({ urn, inputs }: ResourceEntry) => ({ urn, name: nameOf(urn), inputs });

function toSaved(entry: ResourceEntry) {
  const kind = kindOf(entry.type);
  if (kind === undefined) {
    return [];
  }
  return [
    {
      ...named(entry),
      kind,
      id: entry.id ?? "",
      outputs: entry.outputs,
      /** The engine's own mark that the last step did not go through. */
      hasInitErrors: (entry.initErrors ?? []).length > 0,
      /** Was it replaced, and is it still to be deleted? */
      isLeftover: entry.delete === true,
    },
  ];
}

const toPending = ({ resource: entry, type }: { resource: ResourceEntry; type: string }) => ({
  ...named(entry),
  operation: type,
  /** Was it replaced before? Then the step deletes the original. */
  isLeftover: entry.delete === true,
  /** Undefined for a resource of another package. */
  kind: kindOf(entry.type),
});
