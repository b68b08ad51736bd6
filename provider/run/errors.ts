import type { Code } from "../words/codes";
import { type Message, moreIn, render } from "../words/message";

/** The errors of calls. The program's process loads this file, and so no schema. */

/** A command to copy. */
const COMMAND = /`(npx|pulumi|AGENT_PLATFORM_BYPASS)\b/;

/** What a user sees of a failure. The engine's host prints `${error}: ${error.stack}` for check, diff, read and delete: here that is `error: <message>`. */
export class ResourceError extends Error {
  readonly code: Code;
  constructor(...said: readonly [Message, ...Message[]]) {
    const [{ code, remedy }] = said;
    // Rules say what to do, and a command of its own says it best. Any other remedy has a page.
    const isEnough = remedy === "" || said.some((message) => COMMAND.test(message.remedy));
    const text = [...said.map(render), ...(isEnough ? [] : [`  ${moreIn(code)}`])].join("\n");
    super(text);
    this.name = "ResourceError";
    this.code = code;
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
