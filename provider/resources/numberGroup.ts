import * as z from "zod";
import { areNumbersKnown } from "../core/change/plan";
import { defined } from "../core/common/equality";
import {
  allowUnknown,
  isSecret,
  isUnknown,
  natural,
  numberId,
  objectOf,
  optional,
  required,
  validate,
} from "../core/common/schemas";
import * as messages from "../core/messages";
import { OVERRIDE_FIELDS, shapeOf } from "../core/routing/fields";
import {
  hasSecretNumbers,
  type NumbersInputs,
  type Override,
  type Overrides,
  unknownOverrides,
  versionsAlone,
} from "../core/routing/group";
import { numbers, numbersOf } from "../core/routing/numberList";
import { isVersionAlone, VERSION_NEEDS_AGENT } from "../core/routing/routing";
import { numbersShape } from "./numbers/check";
import { numbersLifecycle } from "./numbers/lifecycle";
import { MANY } from "./numbers/words";

/** Many numbers with one routing. If numbers leave, the group is replaced: its create sends only what changed, and it keeps its id. */

const override = objectOf(shapeOf(OVERRIDE_FIELDS), "must be an object");

const overrides = z
  .record(
    z.string().refine((key) => numberId.safeParse(key).success, { error: "must be a number" }),
    allowUnknown(override),
    { error: "must be a map from number to what differs for it" },
  )
  .transform(
    (all): Overrides =>
      Object.fromEntries(
        Object.entries(all).map(([number, one]): [string, Override] => [number, isUnknown(one) ? one : defined(one)]),
      ),
  );

const schema = z
  .strictObject({
    numbers: required(numbers),
    overrides: optional(overrides),
    maxFailures: optional(natural),
    ...numbersShape,
  })
  .refine((args) => !isVersionAlone(args), VERSION_NEEDS_AGENT);

function declaredIn(given: unknown): string[] {
  const { value } = validate(numbers, given);
  return value === undefined || isUnknown(value) ? [] : numbersOf(value);
}

function overrideFailures(inputs: NumbersInputs): messages.Message[] {
  if (!areNumbersKnown(inputs)) {
    return [];
  }
  const unknown = unknownOverrides(inputs);
  const alone = versionsAlone(inputs);
  const isHidden = hasSecretNumbers(inputs) || isSecret("overrides", inputs);
  return [
    ...(unknown.length === 0 ? [] : [messages.unknownOverrides(unknown, isHidden)]),
    ...(alone.length === 0 ? [] : [messages.versionsAlone(alone, isHidden)]),
  ];
}

export const numberGroup = numbersLifecycle({
  kind: "NumberGroup",
  argument: "numbers",
  schema,
  declares: (news) => declaredIn(news.numbers),
  ownFailures: overrideFailures,
  newId: (_inputs, session) => session.newId("group"),
  goesOn: true,
  words: MANY,
});
