import assert from "node:assert/strict";
import { type Profile, profiles } from "../../emulator";
import type { Run } from "./miniEngine";
import { judgeNumbers, judgePosted, judgeRun } from "./modelOracle";
import { slots } from "./modelProgram";
import { type Change, createWorld, type Machine, type RunChoice, type Tally, type World } from "./modelWorld";

/** Random lives of a stack, at the level of the real provider process. */

export interface ChainStep {
  readonly changes: readonly Change[];
  readonly run: RunChoice;
}

export interface Chain {
  readonly profile: string;
  readonly isScoped: boolean;
  readonly attempts: number;
  /** How it is seen at the end that nothing is left to do. */
  readonly idle: readonly RunChoice["command"][];
  readonly steps: readonly ChainStep[];
}

const calmRun = (command: RunChoice["command"]): RunChoice => ({
  command,
  continueOnError: true,
  target: undefined,
  faults: [],
  kill: undefined,
});

/** Lives one chain, and throws where something that must hold does not. */
export async function liveChain(machine: Machine, chain: Chain, trace?: (line: string) => void): Promise<Tally> {
  const { profile } = chain;
  const onProfile: Partial<Profile> = profiles[profile as keyof typeof profiles];
  const needsScope = onProfile.requiredFields !== undefined && onProfile.requiredFields !== "none";
  // One that answers with another account than was declared is refused for ever, and rightly so.
  const isScoped = (chain.isScoped && onProfile.answerAccount !== "different") || needsScope;
  const world = await createWorld(machine, { ...chain, onProfile, isScoped, trace });
  try {
    for (const { changes, run } of chain.steps) {
      for (const one of changes) {
        world.change(one);
      }
      await perform(world, run);
    }
    await converge(world, chain.idle);
    await destroy(world);
    return world.tally();
  } finally {
    await world.close();
  }
}

async function perform(world: World, choice: RunChoice): Promise<Run | undefined> {
  const before = world.requestCount();
  const result = await world.run(choice);
  // Property 14, and refresh has no endpoint to ask.
  if (choice.command === "preview" || choice.command === "refresh") {
    assert.equal(world.requestCount(), before, `${choice.command} sent something`);
  }
  judgeRun(world, result, choice.command);
  return result;
}

/** The faults are over: at most two `up` come to what is declared, and one for each resource that belongs elsewhere. Then nothing is sent any more. */
async function converge(world: World, idle: Chain["idle"]): Promise<void> {
  world.calm();
  const first = await perform(world, calmRun("up"));
  forgetElsewhere(world, first);
  adoptWhatIsThere(world, first);
  let second = first?.isOk ? first : await perform(world, calmRun("up"));
  // A refusal in diff stops the run before it comes to another resource that belongs elsewhere; each round one leaves the state.
  while (forgetElsewhere(world, second)) {
    second = await perform(world, calmRun("up"));
  }
  assert.deepEqual(second?.failures, [], "the second `up` without faults fails");
  judgeNumbers(world);
  judgePosted(world);
  for (const command of idle) {
    const before = world.requestCount();
    const again = await perform(world, calmRun(command));
    assert.deepEqual(again?.failures, []);
    assert.equal(world.requestCount(), before, `${command} without a change sent something`);
    if (command === "refresh") {
      continue;
    }
    // An unresolved entry is updated for ever, which sends nothing.
    const open = new Set(world.engine.state.filter(({ outputs }) => outputs.unresolved).map(({ name }) => name));
    const changed = again?.steps.filter(({ op, name }) => op !== "same" && !open.has(name));
    assert.deepEqual(changed, [], `${command} without a change has steps`);
  }
}

/** What belongs to another platform or account cannot be deleted from here; the message names `pulumi state delete`. */
function forgetElsewhere(world: World, result: Run | undefined): boolean {
  const elsewhere = (result?.failures ?? []).filter(({ message }) => message.includes("`pulumi state delete`"));
  const before = world.engine.state.length;
  for (const { name } of elsewhere) {
    world.forget(name);
  }
  return world.engine.state.length < before;
}

/** A platform that takes a voice once only says that it is there: the operator looks it up and adopts it. */
function adoptWhatIsThere(world: World, result: Run | undefined): void {
  for (const { message } of result?.failures ?? []) {
    if (message.includes("already in the library")) {
      world.adoptVoice();
    }
  }
}

async function destroy(world: World): Promise<void> {
  const first = await perform(world, calmRun("destroy"));
  forgetElsewhere(world, first);
  assert.deepEqual(world.engine.state, [], "destroy leaves something in the state");
  for (const slot of slots) {
    world.change({ do: "remove", slot });
  }
  judgeNumbers(world);
  judgePosted(world);
}
