import assert from "node:assert/strict";
import { type Profile, profiles } from "../../emulator";
import { type Chain, chains, shortChains } from "./chainArbitraries";
import type { KindOfLife, Lived, Stage } from "./lives";
import { judgeNumbers, judgePosted, judgeRun } from "./modelOracle";
import { slots } from "./modelProgram";
import { createWorld, type RunChoice, type World } from "./modelWorld";

/** Random lives of a stack: every argument of every kind, against all profiles of the platform. */

const calmRun = (command: RunChoice["command"]): RunChoice => ({
  command,
  continueOnError: true,
  target: undefined,
  faults: [],
  kill: undefined,
});

export const chainLives: KindOfLife<Chain> = {
  name: "chains",
  lives: chains,
  shortLives: shortChains,
  live: liveChain,
};

export async function liveChain(stage: Stage, chain: Chain): Promise<void> {
  const { profile } = chain;
  const onProfile: Partial<Profile> = profiles[profile as keyof typeof profiles];
  const needsScope = onProfile.requiredFields !== undefined && onProfile.requiredFields !== "none";
  // One that answers with another account than was declared is refused for ever, and rightly so.
  const isScoped = (chain.isScoped && onProfile.answerAccount !== "different") || needsScope;
  const world = await createWorld(stage, { ...chain, onProfile, isScoped });
  try {
    for (const { changes, run } of chain.steps) {
      for (const one of changes) {
        world.change(one);
      }
      await perform(world, run);
    }
    await converge(world, chain.idle);
    await destroy(world);
  } finally {
    await world.close();
  }
}

async function perform(world: World, choice: RunChoice): Promise<Lived> {
  const lived = await world.run(choice);
  judgeRun(world, lived, choice.command);
  return lived;
}

/** The faults are over: at most two `up` come to what is declared, and one for each resource that belongs elsewhere. Then nothing is sent any more. */
async function converge(world: World, idle: Chain["idle"]): Promise<void> {
  world.calm();
  const first = await perform(world, calmRun("up"));
  forgetElsewhere(world, first);
  adoptWhatIsThere(world, first);
  let second = first.run?.isOk ? first : await perform(world, calmRun("up"));
  // A refusal in diff stops the run before it comes to another resource that belongs elsewhere; each round one leaves the state.
  while (forgetElsewhere(world, second)) {
    second = await perform(world, calmRun("up"));
  }
  assert.deepEqual(second.failures, [], "the second `up` without faults fails");
  judgeNumbers(world);
  judgePosted(world);
  for (const command of idle) {
    const again = await perform(world, calmRun(command));
    assert.deepEqual(again.failures, []);
    assert.deepEqual(again.sent, [], `${command} without a change sent something`);
    if (command === "refresh") {
      continue;
    }
    // An unresolved entry is updated for ever, which sends nothing.
    const open = new Set(world.engine.state.filter(({ outputs }) => outputs.unresolved).map(({ name }) => name));
    const changed = again.run?.steps.filter(({ op, name }) => op !== "same" && !open.has(name));
    assert.deepEqual(changed, [], `${command} without a change has steps`);
  }
}

/** What belongs to another platform or account cannot be deleted from here; the message names `pulumi state delete`. */
function forgetElsewhere(world: World, { failures }: Lived): boolean {
  const elsewhere = failures.filter(({ message }) => message.includes("`pulumi state delete`"));
  const before = world.engine.state.length;
  for (const { name } of elsewhere) {
    world.forget(name);
  }
  return world.engine.state.length < before;
}

/** A platform that takes a voice once only says that it is there: the operator looks it up and adopts it. */
function adoptWhatIsThere(world: World, { failures }: Lived): void {
  for (const { message } of failures) {
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
