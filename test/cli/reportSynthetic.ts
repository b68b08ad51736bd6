/** Previews of a size or of a content that no engine should have to make for a test: the same form as the stored ones. */

import { URN } from "../../provider/core/common/urn";
import { dynamicType, providerText, type ResourceKind } from "../../provider/core/platform/kinds";

type Properties = Readonly<Record<string, unknown>>;

/** What the state says of a resource beside its properties. */
export interface SyntheticSaved {
  readonly retainOnDelete?: true | undefined;
  /** Does the program set the option now? */
  readonly retainsNow?: true | undefined;
  /** @default the number, or the name */
  readonly id?: string | undefined;
  /** The type of the component that holds it. */
  readonly parent?: string | undefined;
}

export interface SyntheticStep extends SyntheticSaved {
  readonly op: string;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly old?: Properties | undefined;
  readonly new?: Properties | undefined;
}

const PROVIDER = "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::default::00000000-0000-4000-8000-000000000001";

export function previewOf(steps: readonly SyntheticStep[], more: Properties = {}): string {
  return JSON.stringify({
    config: {},
    steps: steps.map(({ op, kind, name, id, parent, retainOnDelete, retainsNow, old, new: next }) => {
      const type = dynamicType(kind);
      const urn = `urn:pulumi:dev::test::${parent === undefined ? "" : `${parent}$`}${type}::${name}`;
      const state = { urn, custom: true, type, provider: PROVIDER };
      // As a program's class adds them to what it declares.
      const inputsOf = (properties: Properties) => ({ ...properties, __provider: providerText(kind), [URN]: urn });
      return {
        op,
        urn,
        provider: PROVIDER,
        ...(old !== undefined && {
          oldState: {
            ...state,
            id: id ?? (typeof old.number === "string" ? old.number : name),
            inputs: inputsOf(old),
            outputs: inputsOf(old),
            retainOnDelete,
          },
        }),
        ...(next !== undefined && { newState: { ...state, inputs: inputsOf(next), retainOnDelete: retainsNow } }),
        detailedDiff: null,
      };
    }),
    changeSummary: {},
    ...more,
  });
}

const endpoint = "https://platform.example";
export const numberAt = (index: number): string => `+1555${String(index).padStart(7, "0")}`;

/** As many single numbers, each with its split. */
export const singles = (
  count: number,
  before: (index: number) => Properties,
  after: (index: number) => Properties,
): string =>
  previewOf(
    Array.from({ length: count }, (_, index) => ({
      op: "update",
      kind: "NumberAssignment",
      name: `line-${index}`,
      old: { endpoint, number: numberAt(index), inboundAgents: before(index) },
      new: { endpoint, number: numberAt(index), inboundAgents: after(index) },
    })),
  );
