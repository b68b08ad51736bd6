import { some } from "../provider/core/messages/message";
import { unresolved } from "../provider/core/messages/posts";
import { describe, type Split } from "../provider/core/traffic";
import type { Finding } from "./doctorSettings";
import { printable } from "./io";
import { type Claim, claimsOf, isMap } from "./numberHolders";
import { type Pending, type Properties, type Saved, SECRET, type StackState } from "./stateFile";

/** What is open in saved states, each with what to do. Pure: it is told what the state holds, and sends nothing. */
export function stateFindings(states: readonly StackState[], endpoints: ReadonlyMap<StackState, string>): Finding[] {
  const { shared, endangered } = claimsOf(states);
  return [
    ...states.flatMap((state) => [
      ...state.pending.map((pending) => pendingFinding(pending, state)),
      ...state.resources.flatMap((saved) =>
        resourceFindings(saved, label(state, saved), endpoints.get(state), endangered.get(saved)),
      ),
    ]),
    ...shared.map(sharedNumber),
  ];
}

const label = (state: StackState, { kind, name }: { kind: string | undefined; name: string }): string =>
  printable(`${state.source}: ${kind ?? "resource"} "${name}"`);

const text = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "?");

// --- what the engine was doing when it was stopped; the next `up` forgets it

const VANISHES = "The next `pulumi up` forgets this entry, so settle it before.";

function pendingFinding(pending: Pending, state: StackState): Finding {
  const { kind, operation, inputs } = pending;
  const stopped = `${label(state, pending)}: the engine was stopped while it was ${operation} this`;
  const what = `${stopped}; whether the platform has it is not known.`;
  if (kind === "CommunityVoice" && operation === "creating") {
    const where = `the voice library of workspace ${text(inputs.workspaceId)}`;
    return { what, todo: posted(`Look in ${where} for "${text(inputs.voiceName)}"`, "voiceId") };
  }
  if (kind === "SmsChat" && operation === "creating") {
    return { what, todo: posted(`Look at the chats of workspace ${text(inputs.workspaceId)}`, "chatId") };
  }
  if (kind === undefined) return { what, todo: `it is of another package. ${VANISHES}` };
  if (operation === "deleting")
    return { what, todo: "run the same `pulumi up` or `pulumi destroy` again: twice does no harm." };
  if (kind === "CommunityVoice" || kind === "SmsChat") {
    return { what: `${stopped}. Nothing is sent by that.`, todo: UPDATE_AGAIN };
  }
  return {
    what,
    todo: "change `triggers` of this resource and run `pulumi up`: the PUT is sent again, which does no harm twice. Without it a program that was reverted in between previews as unchanged.",
  };
}

/** There is no call to change a voice or a chat. */
const UPDATE_AGAIN =
  "run `pulumi up` again: it writes the state, and forgets this entry. Nothing has to be looked up in the platform.";

const posted = (look: string, id: string): string =>
  `${look}. Is it there, add \`adopt: "<${id}>"\` to the program; is it not, leave the program as it is and \`pulumi up\` posts it. ${VANISHES}`;

// --- what the state itself marks as open

function resourceFindings(
  saved: Saved,
  who: string,
  endpoint: string | undefined,
  endangered: readonly Claim[] = [],
): Finding[] {
  const found = [
    unreadable(saved, who),
    marked(saved, who, endangered),
    elsewhere(saved, who, endpoint),
    leftover(saved, who, endangered),
  ];
  const findings = found.filter((finding) => finding !== undefined);
  return findings.length === 0 && saved.hasInitErrors ? [halfDone(who)] : findings;
}

const NEEDED: Readonly<Record<Saved["kind"], readonly string[]>> = {
  NumberAssignment: ["number", "endpoint"],
  NumberGroup: ["numbers", "endpoint"],
  CommunityVoice: ["voiceName", "endpoint"],
  SmsChat: ["agentId", "endpoint"],
};

/** The rule of the provider: without these nothing can be updated or deleted; `__provider` is the engine's own need. */
function unreadable({ kind, urn, outputs }: Saved, who: string): Finding | undefined {
  const missing = ["__provider", ...NEEDED[kind]].filter(
    (key) => typeof outputs[key] !== "string" || outputs[key] === "",
  );
  if (missing.length === 0) return undefined;
  return {
    what: `AGP-080 ${who}: the saved state cannot be read: ${missing.join(", ")} missing in its outputs.`,
    todo: `restore an earlier export with \`pulumi stack import\`, or forget it with \`pulumi state delete '${printable(urn)}'\` and declare it again.`,
  };
}

function marked(saved: Saved, who: string, endangered: readonly Claim[]): Finding | undefined {
  const { kind, outputs, id } = saved;
  if (outputs.unresolved === true) return unresolvedFinding(saved, who);
  // Nothing is sent again of a number that is to be deleted.
  if (saved.isLeftover && outputs.unapplied !== undefined) return undefined;
  if (kind === "NumberAssignment" && outputs.unapplied !== undefined) return numberFinding(saved, who);
  if (kind === "NumberGroup" && isMap(outputs.unapplied)) {
    return groupFinding(outputs.unapplied, who, saved, endangered);
  }
  return id.startsWith("unresolved-") ? unresolvedFinding(saved, who) : undefined;
}

function unresolvedFinding({ kind, id, outputs }: Saved, who: string): Finding {
  const isVoice = kind === "CommunityVoice";
  const where = `workspace ${text(outputs.workspaceId)}`;
  const [, ...answers] = unresolved(isVoice ? "voice" : "chat", "it", where, id).split("\n  ");
  const what = isVoice ? "the voice may or may not be in" : "the chat may or may not have been started in";
  return {
    what: `AGP-044 ${who}: unresolved since an earlier run: ${what} ${where}.`,
    todo: ["look there, then write ONE of these arguments in the program and run `pulumi up`:", ...answers].join(
      "\n     ",
    ),
  };
}

function numberFinding({ outputs, id }: Saved, who: string): Finding {
  const { unapplied, inboundAgents } = outputs;
  const what =
    unapplied === "different"
      ? `AGP-050 ${who} (${printable(id)}): the platform answered something else than was asked (${splitText(inboundAgents)} is what is saved).`
      : `AGP-040 ${who} (${printable(id)}): the outcome of the last request is not known: ${splitText(inboundAgents)}, or what was asked then.`;
  return { what, todo: SEND_AGAIN };
}

const SEND_AGAIN = "run `pulumi up`: what is open is sent again, which does no harm twice.";

const SHORTFALLS: Readonly<Record<string, string>> = {
  rejected: "rejected, as before",
  unknown: "outcome not known",
  different: "accepted but different",
  "not sent": "not sent, as before",
  leaving: "left the group and is not cleared",
  untouched: "never got the routing",
};

function groupFinding(unapplied: Properties, who: string, { urn }: Saved, endangered: readonly Claim[]): Finding {
  const byShortfall = new Map<string, string[]>();
  for (const [number, shortfall] of Object.entries(unapplied)) {
    byShortfall.set(text(shortfall), [...(byShortfall.get(text(shortfall)) ?? []), number]);
  }
  const parts = [...byShortfall].map(
    ([shortfall, numbers]) => `${numbers.length} ${SHORTFALLS[shortfall] ?? shortfall} (${some(numbers)})`,
  );
  const what = printable(`AGP-070 ${who}: not applied: ${parts.join("; ")}.`);
  if (endangered.length > 0) {
    const forget = `forget the group with \`pulumi state delete '${printable(urn)}'\`: the next \`pulumi up\` here sends all its numbers once more.`;
    return { what: `${what} ${heldElsewhere(endangered)}`, todo: notHereFirst(forget) };
  }
  return {
    what,
    todo: "run `pulumi up`: it sends these only. `agent-platform show <number>` says what each may hold.",
  };
}

function elsewhere({ outputs, provider }: Saved, who: string, endpoint: string | undefined): Finding | undefined {
  const isDefault = /::default(_[\w]+)?$/.test(provider);
  if (endpoint === undefined || !isDefault || typeof outputs.endpoint !== "string") return undefined;
  if (outputs.endpoint === SECRET || outputs.endpoint === endpoint) return undefined;
  return {
    what: `AGP-060 ${who}: the state speaks of ${printable(outputs.endpoint)}, the settings of ${endpoint}.`,
    todo: `is the move meant, \`pulumi up\` sends it to the new platform and the old one keeps what it has; if not, set the base URL back.`,
  };
}

function leftover({ isLeftover, urn }: Saved, who: string, endangered: readonly Claim[]): Finding | undefined {
  if (!isLeftover) return undefined;
  const what = `${who}: was replaced, and the old one is not deleted yet.`;
  if (endangered.length === 0) return { what, todo: "run `pulumi up`." };
  const forget = `forget the old one in a terminal with \`pulumi state delete '${printable(urn)}'\`; asked which, choose the one marked Pending Deletion.`;
  return { what: `${what} ${heldElsewhere(endangered)}`, todo: notHereFirst(forget) };
}

function heldElsewhere(endangered: readonly Claim[]): string {
  const holders = endangered.map(({ number, state, saved }) => printable(`${number} (${label(state, saved)})`));
  return `Another stack holds ${some(holders)}.`;
}

const notHereFirst = (forget: string): string =>
  `run no \`pulumi up\` here first: it clears what the other stack holds. So that nothing is cleared, ${forget} Has it been cleared already, change \`triggers\` of what holds it there, and run \`pulumi up\` there.`;

const halfDone = (who: string): Finding => ({
  what: `${who}: its last step did not go through.`,
  todo: "run `pulumi up`.",
});

// --- the same number more than once

function sharedNumber(claims: readonly Claim[]): Finding {
  const [first] = claims;
  const holders = claims.map(({ state, saved }) => label(state, saved));
  return {
    what: printable(
      `AGP-003 ${first?.number} at ${first?.endpoint}: held ${claims.length} times: ${some(holders, 5)}. Each run of one overwrites the other.`,
    ),
    todo: "keep one. Take an assignment that is to go out of its program and run `pulumi state delete` with its URN, so that nothing is sent. Leaving a group clears the number: change `triggers` of the one that stays, and run `pulumi up` there.",
  };
}

// --- small things

const splitText = (split: unknown): string => (isMap(split) ? describe(split as Split) : "no split");
