/** What a row of test/faults/README.md says of one fault. */
export interface Fault {
  /** The same for good, in docs, tests and messages of commits. */
  readonly id: number;
  /** What goes wrong. */
  readonly fault: string;
  /**
   * What is read of it: the message as it is, with `<…>` for what differs and `…` for what is left out; or, where there is no message
   * of ours, what happens instead.
   */
  readonly read: { readonly says: string } | { readonly quiet: string };
  /** Full titles by file; `…` stands for the rest of a series. */
  readonly heldBy: Readonly<Record<string, readonly string[]>>;
}

export const says = (text: string): Fault["read"] => ({ says: text });
export const quiet = (text: string): Fault["read"] => ({ quiet: text });

const put = (outcome: string): string => `NumberAssignment "<name>" (<number>): create${outcome}`;

/** The platform's answer to the PUT of a new number, as a message begins. */
export const rejectedPut = (code: string, status: number | string, rest: string): Fault["read"] =>
  says(`${code} ${put(" rejected")}: the platform returned ${status} to PUT /api/numbers/{number}/agent: ${rest}`);

export const unknownPut = (rest: string): Fault["read"] => says(`AGP-040 ${put(": outcome unknown;")} ${rest}`);

export const unsentPut = (code: string, rest: string): Fault["read"] => says(`${code} ${put(" not sent")}: ${rest}`);

export const answered = (status: number, rest: string): string =>
  `the platform returned ${status} to PUT /api/numbers/{number}/agent: ${rest}`;
