import type { Guards } from "./settings";
import { isEmpty, moves, parseAgentKey, round, type Split, shares, shift, total } from "./traffic";

/** A guard that stops a change, in data; messages.ts has the words. */
export type Tripped =
  | { guard: "weightTotal"; split: Split; sum: number; total: number }
  | { guard: "maxShift"; shift: number; max: number; before: Split; after: Split }
  | { guard: "requireVersions"; agents: string[] }
  | { guard: "maxUnapproved"; agents: string[]; share: number; from: number; max: number }
  | { guard: "maxRemove"; leaving: readonly string[]; max: number }
  | { guard: "freeze"; reason: string };

export interface ProgramGuards {
  weightTotal?: number | undefined;
  maxShift?: number | undefined;
}

/** The sum of floats such as 0.7 + 0.2 + 0.1 is not 1: compared with a tolerance relative to the total. */
const SUM_TOLERANCE = 1e-9;

/** The stack's total counts; where a program names one it must be the same, for another would loosen it. */
export function tripsTotal(split: Split, expected: number | undefined): Tripped[] {
  if (expected === undefined || isEmpty(split)) return [];
  const sum = total(split);
  if (Math.abs(sum - expected) <= SUM_TOLERANCE * Math.max(1, expected)) return [];
  return [{ guard: "weightTotal", split, sum, total: expected }];
}

/** What is judged of a split by itself: on create, and wherever it changes. */
export function tripsAgents(after: Split, before: Split | undefined, guards: Guards): Tripped[] {
  return [...tripsVersions(after, guards), ...tripsApproval(after, before, guards)];
}

function tripsVersions(split: Split, { requireVersions }: Guards): Tripped[] {
  const agents = requireVersions
    ? Object.keys(split).filter((key) => parseAgentKey(key).agentVersion === undefined)
    : [];
  return agents.length > 0 ? [{ guard: "requireVersions", agents }] : [];
}

function tripsApproval(after: Split, before: Split | undefined, { approvedAgents, maxUnapproved }: Guards): Tripped[] {
  if (approvedAgents === undefined) return [];
  const unapproved = (split: Split) =>
    Object.entries(shares(split)).filter(([key, share]) => share > 0 && !approvedAgents.includes(key));
  const held = (split: Split) => unapproved(split).reduce((sum, [, share]) => sum + share, 0);
  const share = held(after);
  if (share <= maxUnapproved + 1e-9) return [];
  return [
    {
      guard: "maxUnapproved",
      agents: unapproved(after).map(([key]) => key),
      share,
      from: before === undefined ? 0 : held(before),
      max: maxUnapproved,
    },
  ];
}

/** From no agent at all nothing shifts: nobody's calls change hands. */
export function tripsShift(before: Split, after: Split, max: number | undefined): Tripped[] {
  if (max === undefined || isEmpty(before)) return [];
  const moved = shift(before, after);
  return moved <= max + 1e-9 ? [] : [{ guard: "maxShift", shift: moved, max, before, after }];
}

/** The tighter of what the stack and the program allow. */
export const tighter = (stack: number | undefined, program: number | undefined): number | undefined =>
  stack === undefined ? program : program === undefined ? stack : Math.min(stack, program);

/** Arguments with which a program would loosen what the stack guards. */
export function loosened(program: ProgramGuards, stack: Guards): { path: keyof ProgramGuards; limit: number }[] {
  const found: { path: keyof ProgramGuards; limit: number }[] = [];
  if (
    stack.weightTotal !== undefined &&
    program.weightTotal !== undefined &&
    program.weightTotal !== stack.weightTotal
  ) {
    found.push({ path: "weightTotal", limit: stack.weightTotal });
  }
  if (stack.maxShift !== undefined && program.maxShift !== undefined && program.maxShift > stack.maxShift) {
    found.push({ path: "maxShift", limit: stack.maxShift });
  }
  return found;
}

/** `agent_a@1 90 % → 70 %, agent_a@2 none → 30 %`: only the agents whose share changes. */
export const movesText = (before: Split, after: Split): string =>
  moves(before, after)
    .filter(({ from, to }) => from !== to)
    .map(({ agent, from, to }) => `${agent} ${share(from)} → ${share(to)}`)
    .join(", ");

const share = (value: number | undefined): string => (value === undefined ? "none" : `${round(value)} %`);
