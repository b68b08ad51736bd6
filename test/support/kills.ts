import { existsSync, rmSync, statSync } from "node:fs";
import { type Emulator, startEmulator } from "../../emulator";
import { nameOf } from "../../provider/core/common/urn";
import { type EngineProcess, newStack, type Stack } from "./engine";
import { killAll } from "./engineProcesses";

/**
 * A process of a running `pulumi up` is killed at the moment at which a request reaches the platform. Lost is what the platform
 * then holds and what neither the state, nor the engine's pending operations, nor a message names.
 */
export interface KillPoint {
  readonly role: Exclude<EngineProcess["role"], "other">;
  readonly signal: "SIGKILL" | "SIGTERM" | "SIGINT";
  /** At which request of the run, counted from 1. */
  readonly request: number;
  /** Had the platform acted on the request when the process was killed? */
  readonly applied: boolean;
}

export interface KillReport {
  readonly point: KillPoint;
  /** What no state knows of any more. */
  readonly lost: string[];
  /** Numbers whose routing is not what the program declares after at most two more runs. */
  readonly wrong: string[];
  /** How many runs it took until one changed nothing. */
  readonly runs: number;
  /** Voices and chats that exist more than once, and of which the engine had no pending operation and no message. */
  readonly twice: string[];
}

const NUMBERS = ["+15551230001", "+15551230002", "+15551230003", "+15551230004"];
const TOKEN = "kill-token";

const program = `
const { CommunityVoice, NumberAssignment, SmsChat } = require("pulumi-agent-platform");
${NUMBERS.map((number, index) => `new NumberAssignment("line-${index}", { number: "${number}", inboundAgents: [{ agentId: "agent_a", agentVersion: ${index}, weight: 1 }] });`).join("\n")}
new CommunityVoice("nova", { workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", voiceName: "Nova", publicUserId: "u" });
new SmsChat("reminder", { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15551230001", toNumber: "+15551239999" });`;

export async function killAt(point: KillPoint): Promise<KillReport> {
  const platform = await startEmulator({ token: TOKEN });
  const stack = await newStack({
    program,
    config: { "agent-platform:baseUrl": platform.url },
    env: { AGENT_PLATFORM_ACCESS_TOKEN: TOKEN },
  });
  try {
    const output = await interrupted(point, stack, platform);
    const named = nameable(stack, output);
    const lost = heldBy(platform).filter((name) => !named.has(name));
    const { runs, outputs } = await recover(stack);
    return { point, lost, wrong: wrongNumbers(platform), runs, twice: madeTwice(platform, named, outputs) };
  } finally {
    await stack.remove();
    await platform.close();
  }
}

async function interrupted(point: KillPoint, stack: Stack, platform: Emulator): Promise<string> {
  const held = platform.inject({ kind: "hold", after: point.request - 1, applied: point.applied });
  const run = stack.spawn(["up", "--yes", "--skip-preview", "--continue-on-error"]);
  await platform.waitForRequests(point.request);
  const victim = run.processes().find(({ role }) => role === point.role);
  // A program that has declared everything may have ended by now: then there is nothing to kill.
  killAll(victim === undefined ? [] : [victim], point.signal);
  held.release();
  const { output } = await run.result;
  killAll(run.processes());
  platform.clearFaults();
  return output;
}

/** Names of resources that the state, a pending operation, or an error of the run tells of. */
function nameable(stack: Stack, output: string): Set<string> {
  const urns = [
    ...stack.resources().map(({ urn }) => urn),
    ...(stack.export().deployment?.pending_operations ?? []).map(({ resource }) => resource.urn),
  ];
  const failed = [...output.matchAll(/(\S+) \*\*creating failed\*\*|\((\S+)\):\n\s+error:/g)].map(
    ([, a, b]) => a ?? b ?? "",
  );
  return new Set([...urns.map(nameOf), ...failed]);
}

function heldBy(platform: Emulator): string[] {
  return [
    ...NUMBERS.flatMap((number, index) => (platform.routing(number) === undefined ? [] : [`line-${index}`])),
    ...platform.voices.map(() => "nova"),
    ...platform.chats.map(() => "reminder"),
  ];
}

/** The backend of files writes a checksum beside the state and not at once: a kill may leave it empty, and no command then reads the state. */
function removeCutChecksum({ project }: Stack): void {
  const checksum = `${project.stateFile}.attrs`;
  if (existsSync(checksum) && statSync(checksum).size === 0) {
    rmSync(checksum);
  }
}

async function recover(stack: Stack): Promise<{ runs: number; outputs: string }> {
  removeCutChecksum(stack);
  await stack.run(["cancel", "--yes", "--stack", stack.project.stackName]).catch(() => undefined);
  let outputs = "";
  for (let runs = 1; ; runs += 1) {
    const { output, changeSummary } = await stack.up();
    outputs += output;
    if (runs === 3 || Object.keys(changeSummary).every((operation) => operation === "same")) {
      return { runs: runs - 1, outputs };
    }
  }
}

const wrongNumbers = (platform: Emulator): string[] =>
  NUMBERS.filter((number, index) => platform.routing(number)?.inboundAgents[`agent_a@${index}`] !== 1);

/** A second POST is what no provider can prevent here, if the engine or a message named the first: then the operator could know. */
function madeTwice(platform: Emulator, named: ReadonlySet<string>, outputs: string): string[] {
  const isNamed = (name: string) =>
    named.has(name) || outputs.includes(`::${name},`) || outputs.includes(`::${name}\n`);
  return [
    ...(platform.voices.length > 1 && !isNamed("nova") ? ["nova"] : []),
    ...(platform.chats.length > 1 && !isNamed("reminder") ? ["reminder"] : []),
  ];
}
