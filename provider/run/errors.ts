import type { Code } from "../words/codes";
import { type Message, render } from "../words/message";

/** The errors of calls. The program's process loads this file, and so no schema. */

/** What a user sees of a failure. The engine's host prints `${error}: ${error.stack}` for check, diff, read and delete: here that is `error: <message>`. */
export class ResourceError extends Error {
  readonly code: Code;
  constructor(...said: readonly [Message, ...Message[]]) {
    const text = said.map(render).join("\n");
    super(text);
    this.name = "ResourceError";
    this.code = said[0].code;
    this.stack = text;
  }
  override toString(): string {
    return "error";
  }
}

/** A failure after which something may exist: the resource is saved, with what is known of it. */
export class SavedError extends ResourceError {
  readonly id: string;
  readonly state: object;
  constructor(message: Message, id: string, state: object) {
    super(message);
    this.name = "SavedError";
    this.id = id;
    this.state = state;
  }
}

/** The same function, without its errors: it may be called after a request, when what was sent still has to be saved. */
export const cannotThrow =
  <Given extends unknown[]>(work: (...given: Given) => void) =>
  (...given: Given): void => {
    try {
      work(...given);
    } catch {
      // Nobody can be told.
    }
  };
