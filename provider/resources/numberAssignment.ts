import * as z from "zod";
import { defined } from "../core/common/equality";
import { isUnknown, numberId, required } from "../core/common/schemas";
import { sameEndpoint } from "../core/platform/endpoint";
import type { PlatformIds } from "../core/platform/operations";
import type { NumberRecord } from "../core/routing/client";
import { isVersionAlone, VERSION_NEEDS_AGENT } from "../core/routing/routing";
import { numbersShape } from "./numbers/check";
import { numbersLifecycle } from "./numbers/lifecycle";

/** One number. Another number is another resource, because the number is its id. */

const schema = z
  .strictObject({ number: required(numberId), ...numbersShape })
  .refine((args) => !isVersionAlone(args), VERSION_NEEDS_AGENT);

export const numberAssignment = numbersLifecycle({
  kind: "NumberAssignment",
  argument: "number",
  schema,
  declares: ({ number }) => (typeof number === "string" && !isUnknown(number) ? [number] : []),
  newId: ({ number = "" }) => number,
  goesOn: false,
  outputs(inputs, olds, { record }) {
    const known = olds !== undefined && sameEndpoint(olds, inputs) ? olds.platformIds : undefined;
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
