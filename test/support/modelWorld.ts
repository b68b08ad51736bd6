import { type Emulator, type Fault, type Profile, startEmulator } from "../../emulator";
import { type Lived, liveRun, type Stage, type Trouble, token } from "./lives";
import type { Run, Saved } from "./miniEngine";
import type { Configs } from "./miniEngineProviders";
import { declarationsOf, type Edit, numbersBySlot, type Slot, type SlotName, type Slots, slots } from "./modelProgram";
import type { Properties } from "./providerProcess";

/** Two platforms, a stack and its operator: what a random chain happens to. */

export type Change =
  | { readonly do: "edit"; readonly slot: SlotName; readonly edit: Edit }
  | { readonly do: "remove" | "rename" | "move"; readonly slot: SlotName }
  | { readonly do: "baseUrl" }
  /** A new name that adopts what the old one has: the way where no alias is wanted. */
  | { readonly do: "renameAdopting"; readonly slot: "v1" | "c1" }
  /** "look": in the platform first, adopt what is there, and retry only what is not; "retry": without looking. */
  | { readonly do: "settle"; readonly slot: "v1" | "c1"; readonly how: "look" | "retry" };

export interface RunChoice extends Trouble {
  readonly command: "up" | "preview" | "refresh" | "destroy";
  readonly continueOnError: boolean;
  readonly target: SlotName | undefined;
}

export interface WorldOptions {
  readonly onProfile: Readonly<Partial<Profile>>;
  /** Whether the stack's config names account and workspace. */
  readonly isScoped: boolean;
  readonly attempts: number;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

const NUMBERS = /\+1555\d{7}/g;
const accountSid = "5d3a8c1e-0f7b-4b62-9a55-6a1f0c2b7d90";

/** Without such a fault an answer has all the time of a busy machine: that it comes late is to be no fault of its own. */
const isEndedByTime = (fault: Fault): boolean =>
  fault.kind === "silence" || fault.kind === "slowHeaders" || (fault.kind === "status" && fault.status === 429);

export async function createWorld(stage: Stage, options: WorldOptions) {
  const { engine } = stage.machine;
  // With a seed each, so that no id of the one is an id of the other.
  const start = (seed: number) => startEmulator({ token, seed, accountSid, profile: { ...options.onProfile } });
  const emulators: readonly [Emulator, Emulator] = [await start(1), await start(2)];
  let program: Slots = {};
  let home = 0;
  let counter = 0;
  let isCalm = false;
  /** Everything that the operator has read. */
  let corpus = "";
  /** Resources whose call was under way when somebody died: named by the engine, and the runbook speaks of them. */
  const killed = new Set<SlotName>();
  /** Numbers that they were about, or that left a targeted resource: whoever has one now may not hold what it declares. */
  const touched = new Set<string>();
  /** Slots of which a failed delete has said what to do, should they be kept. */
  const warned = new Set<SlotName | undefined>();
  /** How often more than once a thing may be posted: retries allowed by the operator, deletes, and deaths within a POST. */
  const allowed = new Map<string, number>();
  /** Numbers, with the platform, that a message has named since they were last as they should be. */
  const named = new Set<string>();

  const traits = emulators[0].profile;
  const allow = (logical: string) => allowed.set(logical, (allowed.get(logical) ?? 0) + 1);

  function configs(faults: readonly Fault[] = []): Configs {
    const [first, second] = emulators;
    const scope = options.isScoped ? { "agent-platform:accountSid": accountSid, "agent-platform:workspaceId": 42 } : {};
    const common = {
      ...(faults.some(isEndedByTime) && { "agent-platform:requestTimeout": 0.5, "agent-platform:deadline": 2 }),
      ...(!isCalm && { "agent-platform:attempts": options.attempts }),
    };
    const own = (emulator: Emulator) => ({
      ...scope,
      ...common,
      "agent-platform:baseUrl": emulator.url,
      "agent-platform:accessToken": token,
    });
    return {
      default: own(emulators[home] ?? first),
      second: { ...own(second), "agent-platform:providerName": "second" },
    };
  }

  function change(next: Change): void {
    if (next.do === "baseUrl") {
      home = 1 - home;
      return;
    }
    const slot = program[next.slot];
    switch (next.do) {
      case "edit":
        program = { ...program, [next.slot]: edited(next.slot, slot, next.edit) };
        return;
      case "remove": {
        const { [next.slot]: _, ...rest } = program;
        program = rest;
        return;
      }
      case "rename":
        if (slot !== undefined) {
          program = { ...program, [next.slot]: { ...fresh(next.slot, slot), name: nameFor(next.slot) } };
        }
        return;
      case "move":
        if (slot === undefined) {
          return;
        }
        program = {
          ...program,
          [next.slot]: { ...slot, provider: slot.provider === "default" ? "second" : "default" },
        };
        return;
      case "renameAdopting":
        renameAdopting(next.slot);
        return;
      case "settle":
        settle(next.slot, next.how);
    }
  }

  function nameFor(name: SlotName): string {
    counter += 1;
    return `${name}-${counter}`;
  }

  function edited(name: SlotName, slot: Slot | undefined, edit: Edit): Slot {
    counter += 1;
    if (slot === undefined) {
      const base = { edit, name: nameFor(name), provider: "default", trigger: 0, note: "", sendKey: "first" } as const;
      return { ...base, logical: `${name}-${counter}`, to: `+1556${String(counter).padStart(7, "0")}` };
    }
    if (name === "c1" && edit.chat === "metadata") {
      return { ...tidied(slot), edit, note: `note ${counter}` };
    }
    const { adopt: _, retryUnresolved: __, ...rest } = { ...slot, edit, logical: `${name}-${counter}` };
    if (name === "c1" && edit.chat === "sendKey") {
      return { ...rest, sendKey: `key ${counter}` };
    }
    return { ...rest, to: `+1556${String(counter).padStart(7, "0")}` };
  }

  /** A voice or chat under a new name is another one to the engine, and is sent. */
  const fresh = (name: SlotName, slot: Slot): Slot =>
    name === "v1" || name === "c1" ? edited(name, slot, { ...slot.edit, chat: "to" }) : slot;

  /** An adoption that is done may go from the program. */
  function tidied(slot: Slot): Slot {
    const { adopt, ...rest } = slot;
    const isDone = engine.state.some(({ name, id }) => name === slot.name && id === adopt);
    return isDone ? rest : slot;
  }

  /** What is gone is not adopted any more. */
  function forgetAdopted(id: string): void {
    for (const name of ["v1", "c1"] as const) {
      const { adopt, ...rest } = program[name] ?? {};
      if (adopt === id) {
        program = { ...program, [name]: rest as Slot };
      }
    }
  }

  function renameAdopting(name: "v1" | "c1"): void {
    const slot = program[name];
    const saved = engine.state.find((one) => one.name === slot?.name);
    if (slot === undefined || saved === undefined || saved.outputs.unresolved || isDoomed(saved)) {
      return;
    }
    // By another provider too, as long as it is the same platform.
    if (configs()[slot.provider]?.["agent-platform:baseUrl"] !== saved.outputs.endpoint) {
      return;
    }
    const { retryUnresolved: _, ...rest } = slot;
    program = { ...program, [name]: { ...rest, name: nameFor(name), adopt: saved.id } };
  }

  function settle(name: "v1" | "c1", how: "look" | "retry"): void {
    const slot = program[name];
    const open = engine.state.find((saved) => saved.name === slot?.name && saved.outputs.unresolved === true);
    if (slot === undefined || open === undefined) {
      return;
    }
    const logical = logicalOf(open);
    const found = how === "look" ? lookFor(logical, open) : undefined;
    if (found === undefined) {
      allow(logical);
    }
    const { adopt: _, retryUnresolved: __, ...rest } = slot;
    const answer = found === undefined ? { retryUnresolved: open.id } : { adopt: found };
    program = { ...program, [name]: { ...rest, ...answer } };
  }

  /** What the operator sees in the platform's web application. */
  function lookFor(logical: string, { kind, outputs }: Saved): string | undefined {
    const known = new Set(engine.state.map(({ id }) => id));
    const emulator = emulators.find(({ url }) => url === outputs.endpoint);
    return kind === "communityVoice"
      ? emulator?.voices.find((voice) => voice.voiceName === logical && !known.has(voice.voiceId))?.voiceId
      : emulator?.chats.find((chat) => chat.metadata?.logical === logical && !chat.ended && !known.has(chat.chatId))
          ?.chatId;
  }

  async function run(choice: RunChoice): Promise<Lived> {
    const before = engine.state;
    const target = choice.target === undefined ? undefined : program[choice.target]?.name;
    const declared = declarationsOf(program, traits);
    const lived = await liveRun(stage, emulators, declared, choice, (beforeSave) => {
      const runOptions = {
        configs: configs(choice.faults),
        continueOnError: choice.continueOnError,
        ...(target !== undefined && { targets: [target] }),
        beforeSave,
      };
      return choice.command === "up" || choice.command === "preview"
        ? engine[choice.command](declared, runOptions)
        : engine[choice.command](runOptions);
    });
    if (lived.unsaved !== undefined) {
      noteKilled(lived.unsaved.name, before);
    }
    note(lived, before);
    if (choice.target !== undefined) {
      noteTargeted(choice.target, before);
    }
    return lived;
  }

  /** A targeted run cannot know what the rest of the program declares: the runbook of lost agents speaks of what it cleared. */
  function noteTargeted(slot: SlotName, before: readonly Saved[]): void {
    const stays = new Set(numbersBySlot(program)[slot]);
    const had = before.filter(({ name }) => name === program[slot]?.name);
    for (const number of JSON.stringify(had).match(NUMBERS) ?? []) {
      if (!stays.has(number)) {
        touched.add(number);
      }
    }
  }

  function slotOf(name: string): SlotName | undefined {
    return slots.find((slot) => name.startsWith(`${slot}-`));
  }

  function noteKilled(name: string, before: readonly Saved[]): void {
    const slot = slotOf(name);
    if (slot === undefined) {
      return;
    }
    killed.add(slot);
    const current = program[slot];
    if (current !== undefined && (slot === "v1" || slot === "c1")) {
      allow(current.logical);
    }
    // The engine's warning names the resource; what it declares and holds, its reader knows.
    corpus += `\n${JSON.stringify(declarationsOf(program, traits).find((one) => one.name === name) ?? name)}`;
    const mentioned = JSON.stringify([numbersBySlot(program)[slot], before.filter((saved) => saved.name === name)]);
    corpus += `\n${mentioned}`;
    markNamed(mentioned);
    for (const number of mentioned.match(NUMBERS) ?? []) {
      touched.add(number);
    }
  }

  /** A message names a group as the program does. Which numbers it declares and holds, its reader knows. */
  function markGroups(text: string, before: readonly Saved[]): void {
    const groups = before.filter(({ kind }) => kind === "numberGroup");
    const declared = { name: program.g1?.name, numbers: (numbersBySlot(program).g1 ?? []).join("\n") };
    for (const { name, numbers } of [
      declared,
      ...groups.map(({ name, inputs }) => ({ name, numbers: inputs.numbers })),
    ]) {
      if (text.includes(`NumberGroup "${name}"`)) {
        markNamed(String(numbers));
      }
    }
  }

  /** The same of a chat and of a voice: its recipient, or its name on the platform. */
  function markPosted(text: string, before: readonly Saved[]): void {
    for (const { kind, name, inputs } of before) {
      if (text.includes(`SmsChat "${name}"`) || text.includes(`CommunityVoice "${name}"`)) {
        corpus += `\n${String(kind === "smsChat" ? inputs.toNumber : inputs.voiceName)}`;
      }
    }
  }

  function markNamed(text: string): void {
    for (const number of text.match(NUMBERS) ?? []) {
      for (const { url } of emulators) {
        named.add(`${number} ${url}`);
      }
    }
  }

  function note({ said, failures }: Pick<Run, "said" | "failures">, before: readonly Saved[]): void {
    const text = [said, ...failures.map(({ message }) => message)].join("\n");
    corpus += `\n${text}`;
    markNamed(text);
    markGroups(text, before);
    markPosted(text, before);
    for (const { code, name, message } of failures) {
      if (code === 14) {
        noteKilled(name, before);
      }
      if (message.includes("To keep the routing, change `triggers`")) {
        warned.add(slotOf(name));
      }
    }
    // An id adopted at another platform than the one that gave it is another thing.
    const placed = ({ id, outputs }: Saved) => `${String(outputs.endpoint)} ${id}`;
    const left = new Set(engine.state.map(placed));
    for (const saved of before) {
      if ((saved.kind !== "communityVoice" && saved.kind !== "smsChat") || left.has(placed(saved))) {
        continue;
      }
      allow(logicalOf(saved));
      forgetAdopted(saved.id);
    }
  }

  return {
    emulators,
    engine,
    traits,
    change,
    run,
    configs,
    get program() {
      return program;
    },
    get corpus() {
      return corpus;
    },
    get allowed(): ReadonlyMap<string, number> {
      return allowed;
    },
    named,
    killed: killed as ReadonlySet<SlotName>,
    /** Faults are over, and time-outs are as they are by default. What the runbook asks for after a death is done. */
    calm(): void {
      isCalm = true;
      const numbers = numbersBySlot(program);
      const isTouched = (name: SlotName) => numbers[name]?.some((number) => touched.has(number));
      for (const name of slots) {
        const slot = program[name];
        if (slot === undefined || !(killed.has(name) || warned.has(name) || isTouched(name))) {
          continue;
        }
        program = { ...program, [name]: { ...slot, trigger: slot.trigger + 1 } };
      }
    },
    adoptVoice(): void {
      if (program.v1 === undefined) {
        return;
      }
      const { retryUnresolved: _, ...slot } = program.v1;
      const voices = emulators.flatMap((emulator) => emulator.voices);
      program = {
        ...program,
        v1: { ...slot, adopt: voices.find(({ voiceName }) => voiceName === slot.logical)?.voiceId },
      };
    },
    /** `pulumi state delete`, where a message names it as the way out. */
    forget(name: string): void {
      // What could not be deleted is what the message speaks of: of two resources of one name, the one that was replaced.
      const doomed = engine.state.filter((saved) => saved.name === name && saved.delete === true);
      engine.load(engine.state.filter((saved) => (doomed.length > 0 ? !doomed.includes(saved) : saved.name !== name)));
    },
    async close(): Promise<void> {
      for (const emulator of emulators) {
        await emulator.close();
      }
    },
  };
}

/** Is it on its way out, or out already? */
export const isDoomed = (saved: Saved): boolean => saved.delete === true || saved.pendingReplacement === true;

function logicalOf({ kind, inputs }: Saved): string {
  if (kind === "communityVoice") {
    return String(inputs.voiceName);
  }
  return String((inputs.metadata as Properties | undefined)?.logical);
}
