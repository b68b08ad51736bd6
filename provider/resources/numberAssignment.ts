import type { PlatformIds } from "../core/api/operations";
import type { NumberRecord } from "../core/api/responses";
import { defined } from "../core/common/equality";
import { numberId } from "../core/common/schemas";
import { sameEndpoint } from "../core/platform/endpoint";
import { numbersLifecycle } from "./numbers/lifecycle";

/** One number. Another number is another resource, because the number is its id. */
export const numberAssignment = numbersLifecycle({
  kind: "NumberAssignment",
  argument: "number",
  form: numberId,
  newId: ({ number = "" }) => number,
  keepsId: false,
  outputs(inputs, olds, { record }) {
    const known = sameEndpoint(olds, inputs) ? olds.platformIds : undefined;
    return defined({ platformIds: (record && platformIds(inputs.number, record)) ?? known });
  },
});

function platformIds(number: string | undefined, record: NumberRecord): PlatformIds | undefined {
  const ids = defined({
    id: record.id ?? undefined,
    phoneNumberSid: record.phoneNumberSid ?? undefined,
    applicationSid: record.applicationSid ?? undefined,
    baseNumber: record.baseNumber === number ? undefined : (record.baseNumber ?? undefined),
  });
  return Object.keys(ids).length === 0 ? undefined : ids;
}
