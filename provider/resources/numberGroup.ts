import * as z from "zod";
import { isUnknown, required, validate } from "../core/common/schemas";
import { numbers, numbersOf } from "../core/routing/numberList";
import { isVersionAlone, VERSION_NEEDS_AGENT } from "../core/routing/routing";
import { numbersShape } from "./numbers/check";
import { numbersLifecycle } from "./numbers/lifecycle";

/** Many numbers with one routing. If numbers leave, the group is replaced: its create sends only what changed, and it keeps its id. */

const schema = z
  .strictObject({ numbers: required(numbers), ...numbersShape })
  .refine((args) => !isVersionAlone(args), VERSION_NEEDS_AGENT);

function declaredIn(given: unknown): string[] {
  const { value } = validate(numbers, given);
  return value === undefined || isUnknown(value) ? [] : numbersOf(value);
}

export const numberGroup = numbersLifecycle({
  kind: "NumberGroup",
  argument: "numbers",
  schema,
  declares: (news) => declaredIn(news.numbers),
  newId: (_inputs, session) => session.newId("group"),
  goesOn: true,
});
