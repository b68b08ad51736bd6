import type { ResourceKind } from "../../provider/config/kinds";

/** Types and names for the engine's calls to a provider. */

export type Properties = Record<string, unknown>;

/** The state that a failed create or update returns for the engine to save. */
export interface InitFailed {
  readonly id: string;
  readonly properties: Properties;
  readonly reasons: readonly string[];
}

/** The error from a failed call to the provider. `code` is the gRPC status code. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: number;
  readonly initFailed: InitFailed | undefined;

  constructor({ message, code, initFailed }: { message: string; code: number; initFailed: InitFailed | undefined }) {
    super(message);
    this.code = code;
    this.initFailed = initFailed;
  }
}

/** A kind of resource, spelled like the name of its handler. */
export type Kind = Uncapitalize<ResourceKind>;

export const kindOf = (kind: ResourceKind): Kind => `${kind.charAt(0).toLowerCase()}${kind.slice(1)}` as Kind;

export const resourceKindOf = (kind: Kind): ResourceKind =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as ResourceKind;

/** Returns the URN that a resource class adds to its inputs. */
export const urnOf = (kind: Kind, name: string): string =>
  `urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:${resourceKindOf(kind)}::${name}`;
