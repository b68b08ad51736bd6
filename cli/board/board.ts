import type { Split } from "../../provider/core/routing/split";
import type { Origin } from "../history/origin";
import type { ToldChange } from "../history/words";
import type { MaybeHidden } from "../pulumi/values";
import type { Rollout } from "../rollout/value";

/** All that the page shows, as data. It is read from saved states, configs and records, and nothing is asked of the platform. */
export interface Board {
  readonly project: string;
  readonly madeAt: Date;
  readonly stacks: readonly string[];
  readonly attention: readonly Attention[];
  readonly rollouts: readonly RolloutCard[];
  /** The newest first. */
  readonly changes: readonly ToldChange[];
  readonly numbers: readonly NumberRow[];
  /** What this page cannot tell. */
  readonly notes: readonly string[];
}

/** A problem that `doctor` finds. */
export interface Attention {
  readonly code?: string | undefined;
  readonly what: string;
  readonly todo: string;
}

export interface RolloutCard {
  /** The name of the rollout; that of its resource if the rollout is in the program. */
  readonly name: string;
  /** Is it in the config? `promote` and `abort` know no other. */
  readonly isInConfig: boolean;
  /** In the order in which a version passes the stacks. */
  readonly stages: readonly Stage[];
}

/** A rollout in one stack. */
export interface Stage {
  readonly stack: string;
  readonly numbers: number;
  readonly rollout: Rollout;
  readonly steps: readonly number[];
  readonly since?: Date | undefined;
  /** Who made the last change of it, and where its reason is written. */
  readonly origin?: Origin | undefined;
  readonly next: Next;
}

/** What `promote` does next. */
export interface Next {
  /** `50 %`, `done`, `aborted`. */
  readonly text: string;
  readonly tone: "plain" | "good" | "bad";
  /** Why it waits; empty if it need not. */
  readonly waits: readonly string[];
}

export interface NumberRow {
  readonly number: string;
  readonly label: string;
  readonly stack: string;
  /** The name of its rollout. */
  readonly rollout?: string | undefined;
  readonly stable?: string | undefined;
  readonly candidate?: string | undefined;
  readonly split: MaybeHidden<Split>;
  /** In words, why the number may not have this split. */
  readonly problem?: string | undefined;
  readonly outbound?: string | undefined;
  readonly since?: Date | undefined;
}
