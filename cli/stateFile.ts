import { z } from "zod";
import { UsageError } from "./io";

/** What `pulumi stack export` prints, as far as it is about this platform. Secrets are masked before anybody sees them. */

export const KINDS = ["NumberAssignment", "NumberGroup", "CommunityVoice", "SmsChat"] as const;
export type Kind = (typeof KINDS)[number];

/** Stands in place of every secret, encrypted or not. */
export const SECRET = "[secret]";

export type Properties = Readonly<Record<string, unknown>>;

/** A resource as it is saved. */
export interface Saved {
  readonly urn: string;
  readonly name: string;
  readonly kind: Kind;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** URN of the provider that has it. */
  readonly provider: string;
  /** The engine's own mark that the last step did not go through. */
  readonly hasInitErrors: boolean;
  /** Replaced already, and waiting to be deleted. */
  readonly isLeftover: boolean;
}

/** A step that was under way when the engine was stopped. */
export interface Pending {
  readonly operation: string;
  readonly urn: string;
  readonly name: string;
  /** Undefined for a resource of another package. */
  readonly kind: Kind | undefined;
  readonly inputs: Properties;
}

/** The config of a provider, as the state holds it: what refresh and destroy use. */
export interface SavedProvider {
  readonly urn: string;
  readonly name: string;
  readonly inputs: Properties;
}

export interface StackState {
  /** Where it was read: the file's name, or the stack's. */
  readonly source: string;
  readonly stack: string | undefined;
  readonly project: string | undefined;
  readonly resources: readonly Saved[];
  readonly providers: readonly SavedProvider[];
  readonly pending: readonly Pending[];
}

const properties = z.record(z.string(), z.unknown()).nullish();

const resource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().nullish(),
  inputs: properties,
  outputs: properties,
  provider: z.string().nullish(),
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

const TYPE = /^pulumi-nodejs:dynamic\/agent-platform:(\w+)$/;

export function parseState(text: string, source: string): StackState {
  const parsed = exported.safeParse(parseJson(text, source));
  if (!parsed.success)
    throw new UsageError(`${source} is no export of a stack. Make one with \`pulumi stack export\`.`);
  const all = (parsed.data?.resources ?? []).filter((entry) => entry !== undefined);
  const pending = (parsed.data?.pending_operations ?? []).map(toPending);
  const [stack, project] = (all[0]?.urn ?? pending[0]?.urn ?? "").replace(/^urn:pulumi:/, "").split("::");
  return {
    source,
    stack: stack || undefined,
    project,
    resources: all.flatMap(toSaved),
    providers: all.flatMap(toProvider),
    pending,
  };
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${source} is not JSON. \`pulumi stack export\` prints what is needed.`);
  }
}

type Entry = z.infer<typeof resource>;

function toSaved(entry: Entry): Saved[] {
  const kind = kindOf(entry.type);
  if (kind === undefined) return [];
  return [
    {
      urn: entry.urn,
      name: nameOf(entry.urn),
      kind,
      id: entry.id ?? "",
      inputs: masked(entry.inputs),
      outputs: masked(entry.outputs),
      provider: withoutId(entry.provider ?? ""),
      hasInitErrors: (entry.initErrors ?? []).length > 0,
      isLeftover: entry.delete === true,
    },
  ];
}

function toPending({ resource: entry, type }: { resource: Entry; type: string }): Pending {
  return {
    operation: type,
    urn: entry.urn,
    name: nameOf(entry.urn),
    kind: kindOf(entry.type),
    inputs: masked(entry.inputs),
  };
}

function toProvider({ urn, type, inputs }: Entry): SavedProvider[] {
  return type === "pulumi:providers:pulumi-nodejs" ? [{ urn, name: nameOf(urn), inputs: masked(inputs) }] : [];
}

const kindOf = (type: string): Kind | undefined => KINDS.find((kind) => kind === TYPE.exec(type)?.[1]);

/** A name may hold the separator itself; stack, project and type cannot. */
const nameOf = (urn: string): string => urn.split("::").slice(3).join("::");

const withoutId = (reference: string): string => reference.slice(0, Math.max(0, reference.lastIndexOf("::")));

/** The engine writes a secret as an object with this key, encrypted, or in clear after `--show-secrets`. */
const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";
const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

const masked = (values: Properties | null | undefined): Properties => (mask(values ?? {}) as Properties) ?? {};

function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== "object" || value === null) return value;
  if (Object.hasOwn(value, SIGNATURE_KEY)) {
    return (value as Properties)[SIGNATURE_KEY] === SECRET_SIGNATURE ? SECRET : undefined;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mask(item)]));
}
