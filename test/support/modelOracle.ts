import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Emulator, LoggedRequest, Routing } from "../../emulator";
import { type Lived, token } from "./lives";
import { type Expected, expectedRouting, fallbackSplit, numbersBySlot, type SlotName } from "./modelProgram";
import { isDoomed, type RunChoice, type World } from "./modelWorld";
import type { Properties } from "./providerProcess";

/** What must hold, whatever happened. The emulators' own stores are the judges. */

/** After every run: what no fault may break. */
export function judgeRun(world: World, { run, said, failures, sent }: Lived, command: RunChoice["command"]): void {
  // Property 14, and refresh has no endpoint to ask.
  if (command === "preview" || command === "refresh") {
    assert.deepEqual(sent, [], `${command} sent something`);
  }
  const everything = JSON.stringify(world.engine.state) + said + JSON.stringify(failures);
  assert.ok(!everything.includes(token), "the token is in the state or in a message");
  for (const { id, name, outputs } of world.engine.state) {
    assert.ok(id !== "", `${name} is saved without an id`);
    assert.ok(typeof outputs.__provider === "string", `${name} is saved without the provider's text`);
  }
  for (const { message, code } of failures) {
    assert.ok(code === 14 || /^(error: )?AGP-\d{3} /.test(message), `a failure without a code: ${message}`);
    assert.ok(message.length <= 4096, "a failure of more than 4 KiB");
  }
  judgePosts(world);
  // What the program says settles nothing until it is applied.
  if (command === "up") {
    forgetNamed(world, run);
  }
}

/** Property 13: nothing is posted twice without the operator's word. */
function judgePosts({ emulators, allowed }: World): void {
  const counts = new Map<string, number>();
  for (const request of emulators.flatMap(({ requests }) => requests)) {
    const logical = logicalOf(request);
    if (logical !== undefined && mayHaveRun(request)) {
      counts.set(logical, (counts.get(logical) ?? 0) + 1);
    }
  }
  for (const [logical, count] of counts) {
    assert.ok(count <= 1 + (allowed.get(logical) ?? 0), `${logical} was posted ${count} times`);
  }
}

function logicalOf({ operation, body }: LoggedRequest): string | undefined {
  if (operation === "addCommunityVoice") {
    return (body as Properties | undefined)?.voiceName as string | undefined;
  }
  if (operation !== "createSmsChat") {
    return undefined;
  }
  return ((body as Properties | undefined)?.metadata as Properties | undefined)?.logical as string | undefined;
}

/** A clean no may be followed by another POST; anything else may have made something. */
const mayHaveRun = ({ status, applied }: LoggedRequest): boolean =>
  applied || status === undefined || status < 300 || status === 408 || (status >= 500 && status !== 501);

/** A number counts as named from the message that names it until it is again as state and program have it. */
function forgetNamed(world: World, run: Lived["run"]): void {
  if (run === undefined || !run.isOk) {
    return;
  }
  const expected = expectedByNumber(world);
  for (const emulator of world.emulators) {
    for (const number of [...world.named].filter((one) => one.endsWith(emulator.url))) {
      const plain = number.slice(0, number.indexOf(" "));
      const wanted = expected.get(number);
      const held = emulator.routing(plain);
      const isManaged = isHeldInState(world, plain, emulator.url);
      const isGone = wanted === undefined && !isManaged && isUnbound(held);
      // What the program says alone is not enough: no run may have come to it, and the next program may say something else.
      const isSettled = wanted !== undefined && isManaged && isDeepStrictEqual(normal(held), normal(wanted));
      if (isGone || isSettled) {
        world.named.delete(number);
      }
    }
  }
}

const isHeldInState = ({ engine }: World, number: string, url: string): boolean =>
  engine.state.some(({ inputs, outputs }) => outputs.endpoint === url && JSON.stringify(inputs).includes(number));

/** What each number is to hold, by number and platform. */
function expectedByNumber({ program, traits, emulators, configs }: World): Map<string, Expected> {
  const urls = configs();
  const expected = new Map<string, Expected>();
  for (const [name, numbers] of Object.entries(numbersBySlot(program)) as [SlotName, readonly string[]][]) {
    const slot = program[name];
    const url = urls[slot?.provider ?? "default"]?.["agent-platform:baseUrl"] ?? emulators[0].url;
    if (slot === undefined) {
      continue;
    }
    for (const number of numbers) {
      expected.set(`${number} ${String(url)}`, expectedRouting(slot.edit.routing, traits));
    }
  }
  return expected;
}

type Held = Routing | Expected | undefined;

/** `false` is how some platforms are told that time routing is gone. */
function normal(routing: Held): Properties {
  const { isTimeRoutingEnabled, ...rest } = routing ?? { inboundAgents: {} };
  return { ...rest, ...(isTimeRoutingEnabled && { isTimeRoutingEnabled }) };
}

const isUnbound = (routing: Held): boolean => isDeepStrictEqual(normal(routing), { inboundAgents: {} });

/** Property 7 and 12: every number is as declared, and what is left anywhere has been named. */
export function judgeNumbers(world: World): void {
  const expected = expectedByNumber(world);
  for (const [key, wanted] of expected) {
    const [number = "", url] = key.split(" ");
    const held = world.emulators.find((emulator) => emulator.url === url)?.routing(number);
    judgeDeclared(key, held, wanted, world.named.has(key));
  }
  for (const emulator of world.emulators) {
    judgeLeft(world, emulator, expected);
  }
}

/** Of a number that a message has named, what was never declared may stay; what is declared holds always. */
function judgeDeclared(key: string, held: Held, wanted: Expected, isNamed: boolean): void {
  const shown = normal(held);
  const fields = isNamed
    ? Object.fromEntries(Object.keys(normal(wanted)).map((field) => [field, shown[field]]))
    : shown;
  assert.deepEqual(fields, normal(wanted), `${key} is not as declared`);
}

function judgeLeft(world: World, emulator: Emulator, expected: ReadonlyMap<string, Expected>): void {
  const fallback = { inboundAgents: fallbackSplit(world.traits) };
  for (const number of emulator.numbers.keys()) {
    const key = `${number} ${emulator.url}`;
    const held = emulator.routing(number);
    if (expected.has(key) || isUnbound(held) || isDeepStrictEqual(normal(held), fallback)) {
      continue;
    }
    assert.ok(world.named.has(key), `${key} is bound, is not declared, and no message has named it since`);
  }
}

/** Every voice, and every chat that is open, is in the state or has been named; and what is in the state is open. */
export function judgePosted(world: World): void {
  const { emulators, engine, corpus } = world;
  const ids = new Set(engine.state.map(({ id }) => id));
  for (const emulator of emulators) {
    for (const { voiceId, voiceName } of emulator.voices) {
      assert.ok(ids.has(voiceId) || corpus.includes(voiceName), `voice ${voiceName} is lost`);
    }
    for (const { chatId, toNumber = "", ended } of emulator.chats) {
      assert.ok(ended || ids.has(chatId) || corpus.includes(toNumber), `chat to ${toNumber} is lost`);
    }
  }
  judgeOpen(world);
}

/** Nobody ends a chat that the program still has, but for an end that was told to be in doubt. */
function judgeOpen({ emulators, engine, corpus, killed }: World): void {
  const held = new Set(
    engine.state.filter((one) => !isDoomed(one)).map(({ id, outputs }) => `${outputs.endpoint} ${id}`),
  );
  for (const { url, chats } of emulators) {
    for (const { chatId, toNumber = "", ended } of chats) {
      const isInDoubt = killed.has("c1") || corpus.includes(`Chat "${chatId}" may or may not have ended`);
      const isHeld = held.has(`${url} ${chatId}`);
      assert.ok(!ended || !isHeld || isInDoubt, `chat to ${toNumber} is ended, and the program has it`);
    }
  }
}
