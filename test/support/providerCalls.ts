import type { ResourceKind } from "../../provider/config/kinds";

/** The engine's calls of a provider, whichever process it is in: for tests that need no process, too. */

export type Properties = Record<string, unknown>;

/** What a create or an update that saved something before it failed hands to the engine. */
export interface InitFailed {
  readonly id: string;
  readonly properties: Properties;
  readonly reasons: readonly string[];
}

/** A call that the provider refused. */
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

/** A kind, as its handler is named. */
export type Kind = Uncapitalize<ResourceKind>;

export const kindOf = (kind: ResourceKind): Kind => `${kind.charAt(0).toLowerCase()}${kind.slice(1)}` as Kind;

export const resourceKindOf = (kind: Kind): ResourceKind =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as ResourceKind;

/** What a class writes among the inputs. */
export const urnOf = (kind: Kind, name: string): string =>
  `urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:${resourceKindOf(kind)}::${name}`;
