import assert from "node:assert/strict";
import { defaultProfile, type Profile, profiles, type Routing, type Switch, switches } from "../../emulator";
import type { Declaration } from "../support/miniEngine";
import { createProviders, type Providers } from "../support/miniEngineProviders";
import { closeProviders, declare, type MiniStack, withMiniStack } from "../support/miniStack";
import type { Properties } from "../support/providerCalls";

/** Every silence of the interface, read in every other way (docs/assumptions.md): the provider is right whichever it is, or says what to do. */

export const numbers = ["+15550000001", "+15550000002"] as const;
const accountSid = "5d3a8c1e-0f7b-4b62-9a55-6a1f0c2b7d90";
export const unhurried: Properties = {
  "agent-platform:attempts": 4,
  "agent-platform:requestTimeout": 10,
  "agent-platform:deadline": 30,
};

export interface Case {
  readonly title: string;
  readonly profile: Readonly<Partial<Profile>>;
}

const named = (name: string): Readonly<Partial<Profile>> => profiles[name as keyof typeof profiles];
export const cases: readonly Case[] = [
  ...switches.flatMap(({ name, row, section, values }: Switch) =>
    values
      .filter((value) => value !== defaultProfile[name])
      .map((value) => {
        const silence = row === undefined ? `section ${section}` : `row ${row}`;
        return { title: `${silence}, ${name}=${value}`, profile: named(`${name}=${value}`) };
      }),
  ),
  ...["default", "strict", "terse", "legacy"].map((name) => ({ title: `all of "${name}"`, profile: named(name) })),
];

/** Readings under which no assignment can come out as declared; each has a test of its own below. */
const refusing = /success=false\b(?!On)|importError=true|tokenExpiresAfter=1|unknownNumbers=404/;
const staysBound = ({ profile }: Case): boolean => profile.defaultAgentAfterClear === "stays";

/** A platform that wants the sum to be 1 gets it in such weights; all others take any. */
const weight = ({ profile }: Case, percent: number): number => (profile.weights === "sum1" ? percent / 100 : percent);

const split = (one: Case, first: number, second: number): Properties[] => [
  { agentId: "agent_a", agentVersion: 1, weight: weight(one, first) },
  { agentId: "agent_a", agentVersion: 2, weight: weight(one, second) },
];

/** Account and workspace are declared, so that a platform which asks for them has them; but for one that answers with others. */
const scope = ({ profile }: Case): Properties =>
  profile.answerAccount === "different" ? {} : { accountSid, workspaceId: 42 };

const rest = { outboundAgentId: "agent_o", outboundAgentVersion: 3, inboundWebhookUrl: "https://hooks.invalid/in" };

function bound(stack: MiniStack, number: string): Routing | undefined {
  const held = stack.emulator.routing(number);
  // `false` is one way to tell a platform that time routing is gone.
  if (held?.isTimeRoutingEnabled !== false) {
    return held;
  }
  const { isTimeRoutingEnabled: _, ...others } = held;
  return others;
}

async function applied(stack: MiniStack, declaration: Declaration, expected: Routing): Promise<void> {
  assert.deepEqual((await stack.up([declaration])).failures, []);
  const held = declaration.kind === "numberGroup" ? numbers : numbers.slice(0, 1);
  for (const number of held) {
    assert.deepEqual(bound(stack, number), expected);
  }
  await unchanged(stack, declaration);
}

/** No perpetual diff: neither at once nor after a refresh is there anything to do. */
export async function unchanged(
  { up, preview, refresh, emulator }: MiniStack,
  declaration: Declaration,
): Promise<void> {
  emulator.clearRequests();
  const same = [{ op: "same", name: declaration.name }];
  assert.deepEqual((await preview([declaration])).steps, same);
  await refresh();
  assert.deepEqual((await up([declaration])).steps, same);
  assert.equal(emulator.requests.length, 0);
}

export type NumberKind = "numberAssignment" | "numberGroup";

function declared(one: Case, kind: NumberKind, args: Properties): Declaration {
  const held = kind === "numberGroup" ? { numbers: [...numbers] } : { number: numbers[0] };
  return declare(kind, { ...held, ...scope(one), ...args });
}

const inbound = (one: Case, first: number, second: number) => ({
  "agent_a@1": weight(one, first),
  "agent_a@2": weight(one, second),
});

/** In the short life everything is declared, then changed and cleared in one step, and at last unassigned. */
type Life = "whole" | "short";

async function liveNumbers(
  one: Case,
  stack: MiniStack,
  life: Life,
  declaration: (args: Properties) => Declaration,
): Promise<void> {
  const whole = { inboundAgents: split(one, 90, 10), ...rest, isTimeRoutingEnabled: true };
  await applied(stack, declaration(whole), { ...whole, inboundAgents: inbound(one, 90, 10) });
  const half = split(one, 50, 50);
  if (life === "whole") {
    const changed = { ...whole, inboundAgents: half };
    await applied(stack, declaration(changed), { ...changed, inboundAgents: inbound(one, 50, 50) });
  }
  // Where an answer goes on showing the last outbound agent, its removal cannot be seen; that has a test of its own.
  const { inboundWebhookUrl: _, ...outbound } = rest;
  const left = staysBound(one) ? outbound : {};
  await applied(stack, declaration({ inboundAgents: half, ...left }), { inboundAgents: inbound(one, 50, 50), ...left });
  await applied(stack, declaration({ inboundAgents: [], ...left }), { inboundAgents: {}, ...left });
  if (life === "whole") {
    const again = { inboundAgents: inbound(one, 50, 50), ...left };
    await applied(stack, declaration({ inboundAgents: half, ...left }), again);
  }
}

async function live(one: Case, kind: NumberKind, life: Life, providers?: Providers): Promise<void> {
  const options = { profile: { ...one.profile }, accountSid, config: unhurried };
  await withMiniStack({ ...options, ...(providers && { providers }) }, async (stack) => {
    await liveNumbers(one, stack, life, (args) => declared(one, kind, args));
    if (staysBound(one)) {
      return;
    }
    assert.deepEqual((await stack.destroy()).failures, []);
    for (const number of numbers) {
      assert.deepEqual(bound(stack, number)?.inboundAgents ?? {}, {});
    }
    assert.deepEqual(stack.engine.state, []);
  });
}

/** Declares the tests of one kind: each reading that assignments can come out of. */
export function liveEachReading(kind: NumberKind, life: Life): void {
  // An answer that may be stale is waited for: these are mostly waiting, so they are begun before the others.
  const begun = new Map<Case, Promise<void>>();
  before(() => {
    for (const one of cases.filter(({ profile }) => (profile.staleAnswers ?? 0) > 0)) {
      const providers = createProviders();
      const lived = live(one, kind, life, providers).finally(() => providers.close());
      lived.catch(() => {});
      begun.set(one, lived);
    }
  });
  after(closeProviders);

  for (const one of cases.filter(({ title }) => !refusing.test(title))) {
    it(`has every number as declared, and no perpetual diff: ${one.title}`, () =>
      begun.get(one) ?? live(one, kind, life));
  }
}
