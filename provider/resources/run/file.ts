import type * as messages from "../../core/messages";
import type { Announced, Heard, Reported } from "./heard";

/** How the processes of a run tell each other what they remember. */
export interface RunFile {
  /** The key of a number or of a chat in the file. */
  keyOf(identity: readonly string[]): string;
  /** Tells the others before a request. Throws if they cannot be told: then nothing may be sent. */
  announce(told: Announced): void;
  /** Tells the others after a request, and so it never throws. If they cannot be told, it returns a warning once, and from then on no process of the run clears anything. */
  report(told: Reported): messages.Message | undefined;
  heard(): Heard;
  /** Throws if the file cannot be read: then it is not known what the others declare, and nothing may be cleared. */
  refuseIfUnusable(): void;
  isAlive(pid: number): boolean;
}
