import * as z from "zod";
import { defined, isObject } from "../base/json";
import { wire } from "../base/schemas";
import type { ParsedBody } from "./body";
import type { Read } from "./operation";

/** Schemas and helpers for reading response bodies. A field of the wrong type counts as missing. */

export const wireText = wire(z.string());

export const wireInteger = wire(z.int());

export const wireFlag = wire(z.boolean());

export const freeObject = z.record(z.string(), z.unknown());

export const dateTime = wire(z.iso.datetime({ offset: true, local: true }));

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

type CamelCased<Wire> = { [Name in keyof Wire as CamelCase<Name>]: Wire[Name] };

/** Converts an object's keys to camel case, but not the keys inside its values, such as those in a chat's metadata. */
export const camelCased = <Wire extends object>(fields: Wire): CamelCased<Wire> =>
  Object.fromEntries(
    Object.entries(defined(fields)).map(([name, value]) => [
      name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  ) as CamelCased<Wire>;

/**
 * Reads a response body with a schema. Returns undefined only if the body isn't an object, because every field of these
 * schemas is optional.
 */
export function readAs<Response>(schema: z.ZodType<Response>, json: unknown): { response: Response } | undefined {
  const { data } = schema.safeParse(json);
  return data === undefined ? undefined : { response: data };
}

/**
 * Reads the voice or chat that a POST created. A response without an ID is unusable, because that ID becomes the
 * resource's ID in the state.
 */
export function readNew<Made extends object, Id extends keyof Made & string>(
  body: ParsedBody,
  schema: z.ZodType<Made>,
  id: Id,
): Read<Made & Record<Id, string>> {
  if (body.form !== "json") {
    return { unusable: body.form === "empty" ? "the response is empty" : body.detail };
  }
  const read = readAs(schema, body.value);
  return read?.response[id]
    ? { response: read.response as Made & Record<Id, string> }
    : { unusable: `the response has no ${id}` };
}

/**
 * Returns true if the body of a 2xx response reports a failure, as the interface describes (docs/interface.md, section
 * 4.1) or as other servers do. `success: true` outweighs an error or a status such as `failed`. So does `numbers` or
 * `assignment` if it isn't empty, because the provider then compares the response with the request.
 */
export function reportsFailure(json: unknown): boolean {
  if (!isObject(json)) {
    return false;
  }
  const { success, error, errors, status, numbers, assignment } = json;
  const hasFailed = isFilled(error) || isFilled(errors) || /^(?:error|fail(?:ed|ure)?)$/i.test(String(status));
  return (
    success === false ||
    success === "false" ||
    (hasFailed && success !== true && !isFilled(numbers) && !isFilled(assignment))
  );
}

const isFilled = (value: unknown): boolean =>
  typeof value === "string" || Array.isArray(value)
    ? value.length > 0
    : isObject(value) && Object.keys(value).length > 0;
