import * as z from "zod";
import { parseJson } from "../../provider/core/common/equality";
import { nameOf, partsOf } from "../../provider/core/common/urn";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { runPulumi } from "./cli";
import { kindOf, normalProperties } from "./values";

/** Reads what `pulumi stack export` prints about this platform. Secrets are masked at once. */

/** A resource as it is saved. */
export type SavedResource = ReturnType<typeof toSaved>[number];

/** A step that was under way when the engine was stopped. */
export type Pending = ReturnType<typeof toPending>;

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

const exported = z.object({ deployment: deployment.nullable() });

/** With Pulumi Cloud a stack may be named as `organization/project/stack`: the name of the stack alone. */
export const stackAlone = (stack: string): string => stack.split("/").at(-1) ?? "";

export type StackState = Awaited<ReturnType<typeof readState>>;

/** Nothing is sent to the platform. @param asked the name of the stack as `--stack` gave it */
export async function readState(asked: string, io: Io) {
  const read = exported.safeParse(parseJson(await runPulumi(["stack", "export", "--stack", asked], io)));
  if (!read.success) {
    throw new UsageError(`\`pulumi stack export\` of ${asked} is not the JSON of Pulumi 3.`);
  }
  const all = read.data.deployment?.resources ?? [];
  const pending = (read.data.deployment?.pending_operations ?? []).map(toPending);
  const urn = all[0]?.urn ?? pending[0]?.urn;
  // An empty stack has no URN.
  const { stack, project } = urn === undefined ? { stack: stackAlone(asked), project: undefined } : partsOf(urn);
  return { asked, stack, project, resources: all.flatMap(toSaved), pending };
}

/** `stack prod of project phones`. */
export const stackTitle = ({ stack, project }: StackState): string =>
  `stack ${stack}${project === undefined ? "" : ` of project ${project}`}`;

type ResourceEntry = z.infer<typeof resource>;

const named = ({ urn, inputs, delete: isLeftover }: ResourceEntry) => ({
  urn,
  name: nameOf(urn),
  inputs,
  /** Was it replaced, and is it still to be deleted? */
  isLeftover: isLeftover === true,
});

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
    },
  ];
}

const toPending = ({ resource: entry, type }: { resource: ResourceEntry; type: string }) => ({
  ...named(entry),
  operation: type,
  /** Undefined for a resource of another package. */
  kind: kindOf(entry.type),
});
