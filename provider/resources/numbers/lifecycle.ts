import { planNumbers } from "../../core/numbers/plan";
import { NEW, type NumbersState, SAVED_NUMBERS } from "../../core/numbers/state";
import type { NumbersInputs } from "../../core/routing/group";
import { type Lifecycle, readSaved } from "../lifecycle";
import type { Known } from "../run/memory";
import { apply, type NumbersVariant } from "./apply";
import { checkNumbers, schemasOf } from "./check";
import { clear } from "./clear";

/** The lifecycle of numbers, the same for both kinds. */
export function numbersLifecycle(variant: NumbersVariant): Lifecycle<NumbersInputs, NumbersState> {
  const { kind, keepsId } = variant;
  const schemas = schemasOf(variant);
  return {
    kind,
    schema: schemas.written,
    readState: (saved, id) => readSaved<NumbersState>(kind, saved, id, variant.argument, SAVED_NUMBERS),
    check: (olds, news, settings) => checkNumbers(schemas, olds, news, settings),
    diff: (_id, olds, news, settings, ledger) => planNumbers(olds, news, settings, ledger),
    async create(inputs, session, replaced?: Known<NumbersState>) {
      const original = keepsId ? replaced : undefined;
      const id = original?.id ?? variant.newId(inputs, session);
      return { id, state: await apply(variant, { id, olds: original?.olds ?? NEW, news: inputs }, session) };
    },
    update: (id, olds, news, session) => apply(variant, { id, olds, news }, session),
    delete: (id, state, session) => clear(variant, { id, state }, session),
  };
}
