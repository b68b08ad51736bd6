/** One guard of the code, and how to take it out. */
export interface Guard {
  /** What it keeps from happening. */
  readonly name: string;
  readonly file: string;
  /** Text that the file holds exactly once, however it is spread over lines. */
  readonly source: string;
  /** What stands there without the guard. */
  readonly without: string;
  /** The test that turns red. */
  readonly spec: string;
  readonly title: string;
}

/** Finds the guard's text; how the formatter breaks its lines does not count. */
export const patternOf = ({ source }: Guard): RegExp =>
  new RegExp(source.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"), "g");
