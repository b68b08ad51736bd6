/** A program is compiled against the types of this file, so it knows no schema. */

export interface Agent {
  readonly agentId: string;
  readonly agentVersion?: number | undefined;
}

export interface Weighted extends Agent {
  readonly weight: number;
}

/**
 * A new version that gets its calls step by step, as a resource has it: the name of the rollout, and what the setting
 * says of it.
 */
export interface Rollout {
  /** Its key in the setting `agent-platform:rollouts`. A saved state from before rollouts had names has none. */
  readonly name?: string | undefined;
  /** The agent that callers reach today, with its version: `agent_front@12`. */
  readonly stable: string;
  /** The agent that is tried: `agent_front@13`. Without it, all calls go to the stable agent. */
  readonly candidate?: string | undefined;
  /**
   * The candidate's percentage of the calls, from 0 to 100. At 0 the candidate is not in the split, at 100 the stable
   * agent is not.
   */
  readonly percent?: number | undefined;
  /**
   * What the last abort ended. It counts while the candidate is at 0%: a new one then sends the stable split to every
   * number, whatever the state says that it has.
   */
  readonly aborted?: Aborted | undefined;
}

/** What an abort ended. */
export interface Aborted {
  /** The candidate that was taken back: `agent_front@13`. */
  readonly agent: string;
  /** Its percentage of the calls at that time. */
  readonly percent: number;
  /** When the operator decided it (ISO 8601, UTC). */
  readonly at: string;
  /** An agent from before the stable one, to which the calls return: `agent_front@12`. Then `stable` is the same. */
  readonly to?: string | undefined;
}

/** What the platform adds to a number's record: identifiers that the inputs do not have (interface 2.2). */
export interface PlatformIds {
  /** Id of the number's record, an integer. */
  readonly id?: number | undefined;
  /** What the platform calls the phone number. */
  readonly phoneNumberSid?: string | undefined;
  /** What the platform calls the application behind it. */
  readonly applicationSid?: string | undefined;
  /** The number that an extension belongs to; absent if it is the number itself. */
  readonly baseNumber?: string | undefined;
}
