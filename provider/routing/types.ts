/** The public types, kept apart from the schemas so that programs compile without Zod's types. */

export interface Agent {
  readonly agentId: string;
  readonly agentVersion?: number | undefined;
}

export interface Weighted extends Agent {
  readonly weight: number;
}

/** A gradual rollout of a new agent version, as read from the stack's settings. */
export interface Rollout {
  /**
   * The rollout's key in the `agent-platform:rollouts` setting. Absent in states that were saved before rollouts had
   * names.
   */
  readonly name?: string | undefined;
  /** The agent that callers reach today, with its version: `agent_front@12`. */
  readonly stable: string;
  /** The agent that is being rolled out: `agent_front@13`. If absent, all calls go to the stable agent. */
  readonly candidate?: string | undefined;
  /**
   * The percentage of calls that go to the candidate, from 0 to 100. At 0, the split contains only the stable agent; at
   * 100, only the candidate.
   */
  readonly percent?: number | undefined;
  /**
   * The last abort of this rollout. A run that applies a new abort sends the stable split to every number, even if the
   * state says that a number already has it.
   */
  readonly aborted?: Aborted | undefined;
}

/** An abort of a rollout. */
export interface Aborted {
  /** The agent that was aborted, usually the candidate: `agent_front@13`. */
  readonly agent: string;
  /** The percentage of calls that this agent had before the abort. */
  readonly percent: number;
  /** When the operator aborted the rollout (ISO 8601, UTC). */
  readonly at: string;
  /**
   * The agent to which the abort moved all calls, such as `agent_front@12`. The abort also made it the `stable` agent.
   * May be absent if it already was, in the settings or in the saved state.
   */
  readonly to?: string | undefined;
}

/** Identifiers that the platform assigns to a number (docs/interface.md, section 2.2). */
export interface PlatformIds {
  /** The ID of the number's record, an integer. */
  readonly id?: number | undefined;
  /** The platform's identifier for the phone number. */
  readonly phoneNumberSid?: string | undefined;
  /** The platform's identifier for the number's application. */
  readonly applicationSid?: string | undefined;
  /** The phone number that an extension belongs to. Absent if the number is not an extension. */
  readonly baseNumber?: string | undefined;
}
