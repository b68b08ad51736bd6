/** What pipelines are written for. */
export interface Pipelines {
  /** The name of the project: two projects of one repository have comments, branches and concurrency groups of their own. */
  readonly project: string;
  /** The stacks, in the order in which they are deployed. */
  readonly stacks: readonly string[];
  /** The project's folder, from the top of its repository; empty if it is the top. */
  readonly folder: string;
}
