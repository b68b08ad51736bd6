import type { ProfileChoice } from "../../emulator";
import type { NumberRecord, NumberResponse } from "../../provider/api/assignNumber";
import { isObject } from "../../provider/base/json";
import type { Verdict } from "../../provider/numbers/verify";
import type { ClearMode, Routing } from "../../provider/routing/routing";
import { agentKey, total } from "../../provider/routing/split";
import type { Agent } from "../../provider/routing/types";

/**
 * What `probe` asks the platform, in order. To ask more, add a row to QUESTIONS, or to the `also` of a question whose response has the answer
 * anyway.
 */

/** The number that is overwritten, and the agents it gets. */
export interface Subject {
  readonly number: string;
  readonly workspaceId: number | undefined;
  readonly agents: readonly [Agent, Agent];
  readonly outbound: Agent;
}

/** What the platform made of a request. */
export interface Reply {
  readonly number: string;
  readonly asked: Routing;
  /** The status of the last attempt. */
  readonly status: number | undefined;
  /** Why the request was refused; undefined if it was accepted. */
  readonly refusal: string | undefined;
  /** Empty if the request was refused, or accepted without a body. */
  readonly response: NumberResponse;
  /** What the provider makes of an accepted response. */
  readonly verdict: Verdict | undefined;
  /** The body as it came. */
  readonly json: unknown;
}

/** The provider's settings that an answer may decide. */
export interface ProbedSettings {
  readonly clearWith?: ClearMode;
  readonly weightTotal?: number;
  readonly requireVersions?: boolean;
  readonly onMismatch?: "warn";
}

/** What an answer means. */
export interface Meaning {
  /** A sentence or two. Without it, the platform does what the provider assumes, and nothing is printed. */
  readonly says?: string;
  readonly settings?: ProbedSettings;
  /** No setting makes the provider right on a platform that answers like this. */
  readonly contradicts?: true;
  /** Nothing more is asked. */
  readonly stops?: true;
  /** What to look at in the web application, because no response shows it. */
  readonly look?: string;
  /** The emulator's switches for a platform that answers like this. */
  readonly profile?: ProfileChoice;
}

/** The answers so far, by the names of their rows. */
export type Answers = Readonly<Record<string, string | undefined>>;

/** How a response is judged, and what each answer means. */
export interface Reading {
  /** The row of docs/assumptions.md. */
  readonly row: number;
  readonly judge: (reply: Reply, answers: Answers) => string;
  readonly means: Readonly<Record<string, Meaning>>;
}

export interface Question extends Reading {
  /** What is asked, in a few words. */
  readonly asks: (subject: Subject, answers: Answers) => string;
  /** What the request assigns, beside the workspace. */
  readonly assigns: (subject: Subject, answers: Answers) => Routing;
  /** What the request clears, and by which value. The number has the field before that. */
  readonly clears?: { readonly field: ClearedField; readonly form: ClearMode };
  /** Is it asked, after these answers? @default always */
  readonly when?: (answers: Answers) => boolean;
  /** What else its response tells, if it is accepted. */
  readonly also?: Readonly<Record<string, Reading>>;
}

export type ClearedField = "inboundAgents" | "outboundAgentId";

// --- what is assigned

/** What the weights of a split sum to on this platform. */
const weightTotal = ({ fractions }: Answers): number => (fractions === "onlyOne" ? 1 : 100);

/** What the weights of the last split that was right sum to. */
const lastSum = ({ fractions }: Answers): number => (fractions === "onlyHundred" ? 100 : 1);

const split = ({ agents: [first, second] }: Subject, sum: number): Routing => ({
  inboundAgents: { [agentKey(first)]: sum === 1 ? 0.7 : 70, [agentKey(second)]: sum === 1 ? 0.3 : 30 },
});

const outboundOf = ({ outbound: { agentId, agentVersion } }: Subject): Routing =>
  agentVersion === undefined
    ? { outboundAgentId: agentId }
    : { outboundAgentId: agentId, outboundAgentVersion: agentVersion };

/** Everything that the number gets. */
export const fullRouting = (subject: Subject, answers: Answers): Routing => ({
  ...split(subject, weightTotal(answers)),
  ...outboundOf(subject),
});

/** It has a version, so that it isn't refused for lack of one. */
const MISSING_AGENT = "agent_missing_probe@1";

// --- how a response is judged

const viewsOf = ({ response: { assignment }, verdict }: Reply): NumberRecord[] =>
  [verdict?.record, assignment].filter((view) => view !== undefined && view !== null);

const inboundOf = (reply: Reply) => viewsOf(reply).flatMap(({ inboundAgents }) => inboundAgents ?? []);

const differs = ({ verdict }: Reply, field: "inboundAgents" | "number" | "platformImportError"): boolean =>
  verdict?.mismatches.some((mismatch) => mismatch.field === field) === true;

const isAccepted = (answer: string | undefined): boolean => answer !== undefined && answer !== "refused";

function judgeSplit(reply: Reply): "refused" | "other" | "shown" | "notShown" {
  if (reply.refusal !== undefined) {
    return "refused";
  }
  if (differs(reply, "inboundAgents")) {
    return "other";
  }
  return reply.verdict?.proof === "proven" ? "shown" : "notShown";
}

/** Does the request clear the field? Only a response that would show the field proves it. */
const judgeClear = (field: ClearedField) => (reply: Reply, answers: Answers) => {
  if (reply.refusal !== undefined) {
    return "refused";
  }
  if (reply.verdict?.notCleared.includes(field)) {
    return "left";
  }
  const isShown = field === "inboundAgents" ? isListed(answers) : answers.outboundShown === "shown";
  return isShown && reply.verdict?.proof === "proven" ? "gone" : "notShown";
};

const isListed = ({ shown }: Answers): boolean => shown === "proven" || shown === "no versions";

const isGone = (answer: string | undefined): boolean => answer === "gone" || answer === "notShown";

const isKept = (answer: string | undefined): boolean => answer === "refused" || answer === "left";

// --- the readings of responses that come anyway

const WORKSPACE: Reading = {
  row: 41,
  judge: ({ verdict }) => (verdict?.others.includes("workspaceId") ? "other" : "same"),
  means: {
    same: {},
    other: {
      says: "the response names another workspace than the request. Either the token belongs to another account, or agent-platform:workspaceId is wrong.",
      contradicts: true,
      stops: true,
    },
  },
};

/** In which unit the response shows weights. */
const WEIGHTS: Reading = {
  row: 8,
  judge(reply) {
    const shown = Math.round(100 * inboundOf(reply).reduce((sum, { weight }) => sum + weight, 0)) / 100;
    // The record and the assignment may show the split both.
    const sums = [1, 100].filter((sum) => shown === sum || shown === 2 * sum);
    const asked = Math.round(total(reply.asked.inboundAgents ?? {}));
    return sums.length === 0 || sums.includes(asked) ? "asSent" : `to${sums[0]}`;
  },
  means: {
    asSent: {},
    to1: { profile: { responseWeights: "scaled1" } },
    to100: { profile: { responseWeights: "scaled100rounded" } },
  },
};

const IMPORT_FAILED: Meaning = {
  says: "the platform reports an import error for this number. The provider counts that as an error, unless it is told to warn. Then it only warns about wrong agents too.",
  settings: { onMismatch: "warn" },
  look: "Does the number work? If not, fix its import, and probe again.",
};

/** A reading that needs a body. */
const needsBody = ({ judge, means, row }: Reading): Reading => ({
  row,
  judge: (reply, answers) => (reply.json === undefined ? "no body" : judge(reply, answers)),
  means: { ...means, "no body": {} },
});

const LOOK_AT_STEPS = "After each step of a rollout: does the number have the new split?";

const SPLIT_READINGS: Readonly<Record<string, Reading>> = {
  shown: {
    row: 13,
    judge(reply) {
      if (differs(reply, "number")) {
        return "otherNumber";
      }
      return differs(reply, "inboundAgents") ? "other" : (reply.verdict?.proof ?? "no agents");
    },
    means: {
      proven: {},
      otherNumber: {
        says: "the response names other numbers only. The provider counts that as an error, unless it is told to warn. Then it only warns about wrong agents too.",
        settings: { onMismatch: "warn" },
        look: "After each change: does this number have it, and not another one?",
      },
      other: {
        says: "the platform accepts a split, and its response shows another one. The provider would report each change as failed (AGP-050).",
        contradicts: true,
        look: "Does the number have the split that was sent? If so, only the response is wrong: set agent-platform:onMismatch to warn.",
      },
      "no agents": {
        says: "the response lists no inbound agents, so the provider can't verify any change. Each run warns about that once (AGP-053).",
        look: LOOK_AT_STEPS,
      },
      "no versions": {
        says: "the response shows agents without their versions, so the provider can't verify which version callers get. Each run warns about that once (AGP-053).",
        look: LOOK_AT_STEPS,
      },
      later: {},
    },
  },
  status: {
    row: 4,
    judge({ status, json }) {
      const body = json === undefined ? "empty" : "whole";
      return status === 202 ? "later" : body;
    },
    means: {
      whole: { profile: { putStatus: 200 } },
      later: {
        says: "a 202 means that the change is still to come, so the provider can't verify any change. Each run warns about that once (AGP-053).",
        look: LOOK_AT_STEPS,
        profile: { putStatus: 202 },
      },
      empty: { profile: { putStatus: 204 } },
    },
  },
  success: needsBody({
    row: 5,
    judge: ({ json }) => (isObject(json) && "success" in json ? "present" : "absent"),
    means: { present: {}, absent: { profile: { success: "absent" } } },
  }),
  records: needsBody({
    row: 11,
    judge({ number, response }) {
      const [record, ...others] = response.numbers ?? [];
      if (record === undefined) {
        return "none";
      }
      if (others.length > 0) {
        return "several";
      }
      const spelling = record.number === number ? "exact" : "spelled";
      return record.number ? spelling : "baseNumber";
    },
    means: {
      exact: {},
      several: { profile: { records: "several" } },
      none: { profile: { records: "none" } },
      spelled: { profile: { records: "otherFormat" } },
      baseNumber: { profile: { records: "baseNumberOnly" } },
    },
  }),
  imported: {
    row: 17,
    judge(reply) {
      if (!differs(reply, "platformImportError")) {
        return "fine";
      }
      return viewsOf(reply).some((view) => view.platformImportErrorMessage) ? "failedFor" : "failed";
    },
    means: {
      fine: {},
      failedFor: { ...IMPORT_FAILED, profile: { importError: "trueWithMessage" } },
      failed: { ...IMPORT_FAILED, profile: { importError: "true" } },
    },
  },
  unset: needsBody({
    row: 3,
    judge: ({ json }) => (JSON.stringify(json).includes(":null") ? "asNull" : "absent"),
    means: { asNull: {}, absent: { profile: { unsetFields: "absent" } } },
  }),
};

// --- the questions

const clearing = (
  field: ClearedField,
  form: ClearMode,
  value: string,
  when: (answers: Answers) => boolean = () => true,
): Question => {
  const isInbound = field === "inboundAgents";
  const label = isInbound ? "inbound agents" : "outbound agent";
  return {
    row: 3,
    asks: () => (form === "omit" ? `a request without the ${label}` : `${value} for the ${label}`),
    // The outbound agent is cleared last, because an agent may be both.
    assigns: (subject) => (isInbound ? outboundOf(subject) : {}),
    clears: { field, form },
    when,
    judge: judgeClear(field),
    means: {
      gone: { says: `this clears the ${label}.` },
      notShown: {
        says: `the platform accepts this, and its response doesn't show whether the ${label} went.`,
        look: "Are the number's agents gone now?",
      },
      left: { says: `the platform accepts this, and the ${label} ${isInbound ? "stay" : "stays"}.` },
      refused: { says: `the platform refuses to clear the ${label} like this.` },
    },
  };
};

const question = (row: Question): Question => row;

export const QUESTIONS: Readonly<Record<string, Question>> = {
  percents: question({
    row: 7,
    asks: () => "a split of 70 to 30",
    assigns: (subject) => split(subject, 100),
    judge: judgeSplit,
    means: {
      shown: { says: "weights that sum to 100 are accepted." },
      notShown: { says: "weights that sum to 100 are accepted." },
      other: { says: "weights that sum to 100 are accepted, and the response shows another split." },
      refused: { says: "the next request tries weights that sum to 1." },
    },
    also: { workspace: WORKSPACE, percentWeights: WEIGHTS },
  }),
  fractions: question({
    row: 7,
    asks: () => "a split of 0.7 to 0.3",
    assigns: (subject) => split(subject, 1),
    judge(reply, { percents }) {
      const answer = judgeSplit(reply);
      if (!isAccepted(percents)) {
        return answer === "refused" ? "neither" : "onlyOne";
      }
      if (answer === "refused" || answer === "other") {
        return "onlyHundred";
      }
      return answer === "shown" ? "relative" : "unclear";
    },
    means: {
      relative: { says: "weights are relative, so their sum doesn't matter.", profile: { weights: "any" } },
      unclear: {
        says: "both are accepted, and no response shows what 0.7 means. So stay with weights that sum to 100.",
        settings: { weightTotal: 100 },
        profile: { weights: "any" },
      },
      onlyHundred: {
        says: "weights must sum to 100.",
        settings: { weightTotal: 100 },
        profile: { weights: "sum100" },
      },
      onlyOne: { says: "weights must sum to 1.", settings: { weightTotal: 1 }, profile: { weights: "sum1" } },
      neither: {
        says: "the platform refuses both splits. Check that the number, the workspace and the agents exist. If they do, the platform wants weights that the provider can't send.",
        contradicts: true,
        stops: true,
      },
    },
    also: { workspaceAgain: WORKSPACE, fractionWeights: WEIGHTS },
  }),
  again: question({
    row: 36,
    asks: (_, answers) => `the same split again, ${lastSum(answers) === 1 ? "0.7 to 0.3" : "70 to 30"}`,
    assigns: (subject, answers) => split(subject, lastSum(answers)),
    judge: ({ refusal }) => (refusal === undefined ? "accepted" : "refused"),
    means: {
      accepted: { says: "a request can be repeated, as the provider does after a lost response." },
      refused: {
        says: "a request can't be repeated. After a lost response the provider repeats it, and would report a change that was applied as failed.",
        contradicts: true,
      },
    },
    also: SPLIT_READINGS,
  }),
  versionless: question({
    row: 14,
    asks: () => "an agent without its version",
    assigns: ({ agents: [{ agentId }] }, answers) => ({ inboundAgents: { [agentId]: weightTotal(answers) } }),
    judge(reply, answers) {
      if (reply.refusal !== undefined) {
        return "refused";
      }
      const shown = inboundOf(reply);
      if (shown.length === 0 || answers.shown !== "proven") {
        return "unclear";
      }
      return shown.some(({ agentVersion }) => agentVersion !== undefined) ? "chosen" : "kept";
    },
    means: {
      refused: {
        says: "each agent needs its version.",
        settings: { requireVersions: true },
        profile: { agentVersion: "required" },
      },
      chosen: {
        says: "the platform chooses a version, so callers may get one that nobody reviewed.",
        settings: { requireVersions: true },
        profile: { agentVersion: "latest" },
      },
      unclear: {
        says: "the platform accepts this, and its response doesn't show which version callers get. So name each agent's version.",
        settings: { requireVersions: true },
      },
      kept: { says: "an agent doesn't need a version.", profile: { agentVersion: "optional" } },
    },
  }),
  omitted: question({
    row: 2,
    asks: () => "the outbound agent alone",
    assigns: outboundOf,
    judge(reply, answers) {
      if (reply.refusal !== undefined) {
        return "refused";
      }
      if (!isListed(answers)) {
        return "unclear";
      }
      return inboundOf(reply).length > 0 ? "kept" : "cleared";
    },
    means: {
      kept: { says: "a request keeps what it leaves out.", profile: { omittedFields: "merge" } },
      cleared: {
        says: "a request clears what it leaves out. So declare every field of a number, before the first change clears the rest.",
        profile: { omittedFields: "replace" },
      },
      unclear: {
        says: "the platform accepts this, and its response doesn't show whether the inbound agents stayed. To be safe, declare every field of a number.",
      },
      refused: { says: "the platform wants inbound agents as well. The provider always sends them." },
    },
    also: {
      outboundShown: {
        row: 12,
        judge(reply) {
          if (reply.verdict?.others.includes("outboundAgentId")) {
            return "other";
          }
          const fields = ["outboundAgents", "agentId", "defaultAgentId"] as const;
          const isShown = viewsOf(reply).some((view) => fields.some((field) => view[field]?.length));
          return isShown ? "shown" : "notShown";
        },
        means: {
          shown: {},
          notShown: {},
          other: {
            says: "the response shows another outbound agent than was sent. Each change of it ends with a warning (AGP-050).",
            look: "Does the number get the outbound agent that is sent?",
          },
        },
      },
    },
  }),
  inboundEmpty: clearing("inboundAgents", "empty", "an empty list"),
  outboundNull: clearing("outboundAgentId", "null", "null"),
  inboundNull: clearing(
    "inboundAgents",
    "null",
    "null",
    ({ inboundEmpty, outboundNull }) => isKept(inboundEmpty) && isGone(outboundNull),
  ),
  outboundEmpty: clearing(
    "outboundAgentId",
    "empty",
    "an empty string",
    ({ inboundEmpty, outboundNull }) => isGone(inboundEmpty) && isKept(outboundNull),
  ),
  inboundOmitted: clearing(
    "inboundAgents",
    "omit",
    "",
    (answers) => wayToClear(answers) === undefined && answers.omitted !== "kept",
  ),
  outboundOmitted: clearing(
    "outboundAgentId",
    "omit",
    "",
    (answers) => wayToClear(answers) === undefined && isGone(answers.inboundOmitted),
  ),
  missing: question({
    row: 40,
    asks: () => "an agent that doesn't exist",
    assigns: (_, answers) => ({ inboundAgents: { [MISSING_AGENT]: weightTotal(answers) } }),
    judge(reply) {
      if (reply.refusal === undefined) {
        return differs(reply, "inboundAgents") ? "dropped" : "accepted";
      }
      return reply.status === 404 ? "notFound" : "refused";
    },
    means: {
      accepted: {
        says: "the platform accepts an agent that doesn't exist. So list yours in agent-platform:approvedAgents: a preview then refuses a typo.",
        profile: { unknownAgents: "accept" },
      },
      dropped: {
        says: "the response doesn't show such an agent, so the provider reports the change as failed (AGP-050).",
      },
      notFound: { says: "the platform refuses an agent that doesn't exist.", profile: { unknownAgents: "404" } },
      refused: { says: "the platform refuses an agent that doesn't exist.", profile: { unknownAgents: "422" } },
    },
  }),
};

// --- the way to clear, which follows from several answers

export type Way = "default" | ClearMode;

/** The provider's ways to clear, and the questions that each of them depends on. */
const WAYS: readonly (readonly [Way, inbound: string, outbound: string])[] = [
  ["default", "inboundEmpty", "outboundNull"],
  ["null", "inboundNull", "outboundNull"],
  ["empty", "inboundEmpty", "outboundEmpty"],
  ["omit", "inboundOmitted", "outboundOmitted"],
];

/** The first way that clears both fields; undefined if none is known. */
export const wayToClear = (answers: Answers): Way | undefined =>
  WAYS.find(([, inbound, outbound]) => isGone(answers[inbound]) && isGone(answers[outbound]))?.[0];

/** The forms that may clear a field, those that are known to do so first. */
export const formsFor = (field: ClearedField, answers: Answers): ClearMode[] =>
  Object.entries(QUESTIONS)
    .filter(([name, { clears }]) => clears?.field === field && answers[name] !== "refused")
    .sort(([left], [right]) => Number(isGone(answers[right])) - Number(isGone(answers[left])))
    .flatMap(([, { clears }]) => clears?.form ?? []);

/** What the emulator takes for the forms that clear. */
export const clearingProfile = (answers: Answers): ProfileChoice => ({
  clearInbound: acceptedForms(answers.inboundNull, answers.inboundEmpty),
  clearOthers: acceptedForms(answers.outboundNull, answers.outboundEmpty),
  notClearing: Object.values(answers).includes("left") ? "ignored" : "refused",
});

function acceptedForms(
  byNull: string | undefined,
  byEmpty: string | undefined,
): NonNullable<ProfileChoice["clearInbound"]> {
  if (isKept(byNull)) {
    return isKept(byEmpty) ? "none" : "empty";
  }
  return isKept(byEmpty) ? "null" : "any";
}

// --- what no response can show

export const LOOKS: readonly { readonly row: number; readonly look: (subject: Subject) => string }[] = [
  { row: 38, look: ({ number }) => `What do callers hear without agents? Call ${number} now: it has none.` },
  {
    row: 35,
    look: () =>
      "Is a percentage one of calls or of callers? Ask the platform's vendor, or call a number at 50% ten times from one phone.",
  },
  { row: 36, look: () => "Does a repeated request give callers other agents? Ask the platform's vendor." },
  {
    row: 37,
    look: () => "What happens to a call in progress when its agents change? Stay in a call during a `pulumi up`.",
  },
  {
    row: 39,
    look: () => "Does time routing override the inbound agents? Call a number outside its hours.",
  },
];
