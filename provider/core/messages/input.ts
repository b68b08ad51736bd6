import type { Code } from "../codes";
import { movesText, type Tripped } from "../guards";
import type { Problem } from "../inputs";
import { describe, round } from "../traffic";
import { type Message, say, some } from "./message";

// --- input, judged at preview

/** Path and rule, never the value: the engine prints a reason as it is, and the value may be secret. */
export const invalid = ({ path, rule }: Problem, code: Code = "AGP-001"): Message =>
  say(code, path === "" ? `${rule}.` : `${path} ${rule}.`);

export const workspaceMissing = (): Message =>
  invalid({ path: "workspaceId", rule: "must be given, here or as agent-platform:workspaceId" });

export const inboundAgentsMissing = (): Message =>
  say(
    "AGP-002",
    "inboundAgents was managed until now and is missing. Write `inboundAgents: []` to leave the number without agents, or declare them again.",
  );

export const loosens = (path: string, limit: number): Message =>
  say(
    "AGP-026",
    `${path} would loosen the stack's guard agent-platform:${path} (${limit}). A program may tighten it, never loosen.`,
  );

export const insecureWebhook = (who: string): Message =>
  say("AGP-067", `${who}: inboundWebhookUrl is http: what the platform sends there is readable on its way. Use https.`);

// --- guards

const GUARD_CODES = {
  weightTotal: "AGP-020",
  maxShift: "AGP-021",
  requireVersions: "AGP-022",
  maxUnapproved: "AGP-023",
  maxRemove: "AGP-024",
  freeze: "AGP-025",
} as const satisfies Record<Tripped["guard"], Code>;

export const tripped = (trip: Tripped): Message => trippedAt("inboundAgents", trip);

/** `path` is where the split stands that was judged. */
export const trippedAt = (path: string, trip: Tripped): Message =>
  say(GUARD_CODES[trip.guard], `${trippedText(trip, path)} Nothing was sent.`);

function trippedText(trip: Tripped, path: string): string {
  switch (trip.guard) {
    case "weightTotal":
      return `${path}: weights sum to ${round(trip.sum)}, expected ${round(trip.total)} (${describe(trip.split)}). Change a weight, or the weightTotal.`;
    case "maxShift":
      return (
        `${path}: ${round(trip.shift)} percentage points of the traffic would move at once, at most ${round(trip.max)} may ` +
        `(${movesText(trip.before, trip.after)}). Go there in smaller steps, or raise maxShift.`
      );
    case "requireVersions":
      return `${path}: every agent must name its version, and ${trip.agents.join(", ")} ${trip.agents.length === 1 ? "does" : "do"} not. Add agentVersion.`;
    case "maxUnapproved":
      return (
        `${path}: ${trip.agents.join(", ")} would hold ${round(trip.share)} %, at most ${round(trip.max)} % until approved ` +
        `(from ${round(trip.from)} %). Give a smaller share, or approve in agent-platform:approvedAgents.`
      );
    case "maxRemove":
      return (
        `numbers: ${trip.leaving.length} numbers would leave at once, at most ${trip.max} may (${some(trip.leaving)}). ` +
        "Remove fewer at a time, or raise agent-platform:maxRemove."
      );
    case "freeze":
      return `frozen: ${trip.reason}. Remove agent-platform:freeze when it is over.`;
  }
}

export const guardsOpen = (reason: string, trips: readonly Message[]): Message =>
  say(
    "AGP-068",
    `AGENT_PLATFORM_OVERRIDE (${reason}) let this pass: ${trips.map(({ text }) => text.replace(" Nothing was sent.", "")).join(" ")}`,
  );

// --- settings

export const tokenMissing = (source: string): Message =>
  say(
    "AGP-013",
    `the access token is not set (looked for in ${source}). Set AGENT_PLATFORM_ACCESS_TOKEN, or run ` +
      "`pulumi config set --secret agent-platform:accessToken`. Nothing was sent.",
  );

export const clientRefused = (sentence: string): Message => say("AGP-016", `${sentence} Nothing was sent.`);
