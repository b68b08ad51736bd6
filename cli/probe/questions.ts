import type { ProfileChoice } from "../../emulator";
import type { NumberRecord, NumberResponse } from "../../provider/api/assignNumber";
import { isObject } from "../../provider/base/json";
import type { Verdict } from "../../provider/numbers/verify";
import type { ClearMode, Routing } from "../../provider/routing/routing";
import { agentKey, total } from "../../provider/routing/split";
import type { Agent } from "../../provider/routing/types";

/**
 * The questions that `probe` asks about a platform, in order. Add a new question to QUESTIONS, or to the `also` of a
 * question whose response already contains the answer.
 */

/** The number to probe, and the agents to assign to it. */
export interface Subject {
  readonly number: string;
  readonly workspaceId: number | undefined;
  readonly agents: readonly [Agent, Agent];
  readonly outbound: Agent;
}

/** The platform's response, with the result of the provider's verification. */
export interface Reply {
  readonly number: string;
  readonly asked: Routing;
  /** The HTTP status of the last attempt. */
  readonly status: number | undefined;
  /** Why the request was refused. Undefined if it was accepted. */
  readonly refusal: string | undefined;
  /** Empty if the request was refused, or was accepted with an empty response. */
  readonly response: NumberResponse;
  /** The provider's comparison of the response with the request. Undefined if the request was refused. */
  readonly verdict: Verdict | undefined;
  /** The parsed body of the last response, before it is validated. */
  readonly json: unknown;
}

/** The provider settings for which the probe may recommend a value. */
export interface ProbedSettings {
  readonly clearWith?: ClearMode;
  readonly weightTotal?: number;
  readonly requireVersions?: boolean;
  readonly onMismatch?: "warn";
}

/** The consequence of an answer for a user of the provider. */
export interface Meaning {
  /**
   * One or two sentences to print. Left out if nothing has to be explained, for example because the platform does what
   * the provider assumes.
   */
  readonly says?: string;
  readonly settings?: ProbedSettings;
  /** Set if this answer means that no setting can make the provider work with the platform. */
  readonly contradicts?: true;
  /** Set if the probe must ask no further questions after this answer. */
  readonly stops?: true;
  /** What the user should check in the platform's web application, because no response shows it. */
  readonly look?: string;
  /** The switches that make the emulator give this answer. */
  readonly profile?: ProfileChoice;
}

/** The probe's answers so far, by the name of the question. */
export type Answers = Readonly<Record<string, string | undefined>>;

/** How the probe reads the answer to a question from a response, and what each possible answer means. */
export interface AnswerRule {
  /** The number of the assumption in docs/assumptions.md that the answer confirms or contradicts. */
  readonly row: number;
  readonly judge: (reply: Reply, answers: Answers) => string;
  readonly means: Readonly<Record<string, Meaning>>;
}

/** A question about the platform, and the request that the probe sends to answer it. */
export interface Question extends AnswerRule {
  /** Describes the request in a few words, such as `a split of 70 to 30`. */
  readonly asks: (subject: Subject, answers: Answers) => string;
  /** Returns the routing that the request assigns, without the workspace, which the probe adds to every request. */
  readonly assigns: (subject: Subject, answers: Answers) => Routing;
  /** Set if the question tests whether a request can clear a field. `form` is the value of `clearWith` to test. */
  readonly clears?: { readonly field: ClearedField; readonly form: ClearMode };
  /**
   * Whether to ask the question, given the answers to earlier ones.
   * @default always
   */
  readonly when?: (answers: Answers) => boolean;
  /** Other questions that the same response answers. They are skipped if the request was refused. */
  readonly also?: Readonly<Record<string, AnswerRule>>;
}

export type ClearedField = "inboundAgents" | "outboundAgentId";

// --- assignments

/** Returns the sum of weights to use in a split: 100, unless the probe has found that the platform accepts only 1. */
const weightTotal = ({ fractions }: Answers): number => (fractions === "onlyOne" ? 1 : 100);

/** Returns the sum of the weights in the last split that the platform applied correctly: 1 or 100. */
const lastSum = ({ fractions }: Answers): number => (fractions === "onlyHundred" ? 100 : 1);

const split = ({ agents: [first, second] }: Subject, sum: number): Routing => ({
  inboundAgents: { [agentKey(first)]: sum === 1 ? 0.7 : 70, [agentKey(second)]: sum === 1 ? 0.3 : 30 },
});

const outboundOf = ({ outbound: { agentId, agentVersion } }: Subject): Routing =>
  agentVersion === undefined
    ? { outboundAgentId: agentId }
    : { outboundAgentId: agentId, outboundAgentVersion: agentVersion };

/** Returns a routing with both inbound agents and an outbound agent. */
export const fullRouting = (subject: Subject, answers: Answers): Routing => ({
  ...split(subject, weightTotal(answers)),
  ...outboundOf(subject),
});

/** An agent that doesn't exist. It has a version, so that no platform refuses it for the lack of one. */
const MISSING_AGENT = "agent_missing_probe@1";

// --- judging responses

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

/**
 * Judges whether the request cleared the field. If this platform's responses don't show the field, its absence proves
 * nothing, so the answer is `notShown`.
 */
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

// --- answers taken from the responses to other questions

const WORKSPACE: AnswerRule = {
  row: 41,
  judge: ({ verdict }) => (verdict?.otherDifferences.includes("workspaceId") ? "other" : "same"),
  means: {
    same: {},
    other: {
      says: "the response names a different workspace than the request. Either the token belongs to another account, or agent-platform:workspaceId is wrong.",
      contradicts: true,
      stops: true,
    },
  },
};

/** Whether the response shows weights as they were sent, or scaled to a sum of 1 or of 100. */
const WEIGHTS: AnswerRule = {
  row: 8,
  judge(reply) {
    const shown = Math.round(100 * inboundOf(reply).reduce((sum, { weight }) => sum + weight, 0)) / 100;
    // The response may show the split twice, in the record and in `assignment`, which doubles the sum.
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
  says: "the platform reports an import error for this number. By default, the provider treats such a response as a failure. If you set agent-platform:onMismatch to warn, the provider only prints a warning, but it then does the same if a response shows the wrong agents.",
  settings: { onMismatch: "warn" },
  look: "Does the number work? If not, fix its import and run the probe again.",
};

/** Extends a rule that reads the response's body: if there is no body, the answer to its question is `no body`. */
const needsBody = ({ judge, means, row }: AnswerRule): AnswerRule => ({
  row,
  judge: (reply, answers) => (reply.json === undefined ? "no body" : judge(reply, answers)),
  means: { ...means, "no body": {} },
});

const LOOK_AT_STEPS = "After each step of a rollout, does the number have the new split?";

const SPLIT_READINGS: Readonly<Record<string, AnswerRule>> = {
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
        says: "the response names only other numbers. By default, the provider treats such a response as a failure. If you set agent-platform:onMismatch to warn, the provider only prints a warning, but it then does the same if a response shows the wrong agents.",
        settings: { onMismatch: "warn" },
        look: "After each change, did this number change, rather than another one?",
      },
      other: {
        says: "the platform accepts a split, but its response shows a different one. The provider would report every change as failed (AGP-050).",
        contradicts: true,
        look: "Does the number have the split that was sent? If so, only the response is wrong, and you can set agent-platform:onMismatch to warn.",
      },
      "no agents": {
        says: "the response lists no inbound agents, so the provider cannot verify any change. Each run warns about that once (AGP-053).",
        look: LOOK_AT_STEPS,
      },
      "no versions": {
        says: "the response shows agents without their versions, so the provider cannot verify which version callers get. Each run warns about that once (AGP-053).",
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
        says: "a 202 means that the change takes effect later, so the provider cannot verify any change. Each run warns about that once (AGP-053).",
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
    // Keep the outbound agent, so that only one field is cleared. If one agent has both roles, a response that still
    // names it might not show which role is left.
    assigns: (subject) => (isInbound ? outboundOf(subject) : {}),
    clears: { field, form },
    when,
    judge: judgeClear(field),
    means: {
      gone: { says: `this clears the ${label}.` },
      notShown: {
        says: `the platform accepts this, but its response does not show whether the ${label} ${isInbound ? "were" : "was"} cleared.`,
        look: "Are the number's agents gone now?",
      },
      left: { says: `the platform accepts this, but the ${label} ${isInbound ? "stay" : "stays"}.` },
      refused: { says: `the platform refuses to clear the ${label} like this.` },
    },
  };
};

export const QUESTIONS: Readonly<Record<string, Question>> = {
  percents: {
    row: 7,
    asks: () => "a split of 70 to 30",
    assigns: (subject) => split(subject, 100),
    judge: judgeSplit,
    means: {
      shown: { says: "weights that sum to 100 are accepted." },
      notShown: { says: "weights that sum to 100 are accepted." },
      other: { says: "weights that sum to 100 are accepted, but the response shows a different split." },
      refused: { says: "the next request tries weights that sum to 1." },
    },
    also: { workspace: WORKSPACE, percentWeights: WEIGHTS },
  },
  fractions: {
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
      relative: { says: "weights are relative, so their sum does not matter.", profile: { weights: "any" } },
      unclear: {
        says: "both splits are accepted, but no response shows what 0.7 means, so use weights that sum to 100.",
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
        says: "the platform refuses both splits. Check that the number, the workspace and the agents exist. If they do, the platform expects weights that the provider cannot send.",
        contradicts: true,
        stops: true,
      },
    },
    also: { workspaceAgain: WORKSPACE, fractionWeights: WEIGHTS },
  },
  again: {
    row: 36,
    asks: (_, answers) => `the same split again, ${lastSum(answers) === 1 ? "0.7 to 0.3" : "70 to 30"}`,
    assigns: (subject, answers) => split(subject, lastSum(answers)),
    judge: ({ refusal }) => (refusal === undefined ? "accepted" : "refused"),
    means: {
      accepted: { says: "a request can be repeated, as the provider does after a lost response." },
      refused: {
        says: "a request cannot be repeated. After a lost response the provider repeats it, so it would report an applied change as failed.",
        contradicts: true,
      },
    },
    also: SPLIT_READINGS,
  },
  versionless: {
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
        says: "the platform chooses a version, so callers may get one that nobody has reviewed.",
        settings: { requireVersions: true },
        profile: { agentVersion: "latest" },
      },
      unclear: {
        says: "the platform accepts this, but its response does not show which version callers get, so give every agent a version.",
        settings: { requireVersions: true },
      },
      kept: { says: "an agent does not need a version.", profile: { agentVersion: "optional" } },
    },
  },
  omitted: {
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
      kept: { says: "fields that a request leaves out keep their values.", profile: { omittedFields: "merge" } },
      cleared: {
        says: "fields that a request leaves out are cleared. Declare every field of a number before its first change, or that change clears the rest.",
        profile: { omittedFields: "replace" },
      },
      unclear: {
        says: "the platform accepts this, but its response does not show whether the inbound agents stayed. To be safe, declare every field of a number.",
      },
      refused: { says: "the platform refuses this. The provider always sends inbound agents as well." },
    },
    also: {
      outboundShown: {
        row: 12,
        judge(reply) {
          if (reply.verdict?.otherDifferences.includes("outboundAgentId")) {
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
            says: "the response shows a different outbound agent from the one that was sent. Every change to it causes a warning (AGP-050).",
            look: "Does the number have the outbound agent that was sent?",
          },
        },
      },
    },
  },
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
  missing: {
    row: 40,
    asks: () => "an agent that does not exist",
    assigns: (_, answers) => ({ inboundAgents: { [MISSING_AGENT]: weightTotal(answers) } }),
    judge(reply) {
      if (reply.refusal === undefined) {
        return differs(reply, "inboundAgents") ? "dropped" : "accepted";
      }
      return reply.status === 404 ? "notFound" : "refused";
    },
    means: {
      accepted: {
        says: "the platform accepts an agent that does not exist. List your agents in agent-platform:approvedAgents, so that a preview catches typos.",
        profile: { unknownAgents: "accept" },
      },
      dropped: {
        says: "the platform accepts an agent that does not exist, but its response does not show that agent, so the provider reports the change as failed (AGP-050).",
      },
      notFound: { says: "the platform refuses an agent that does not exist.", profile: { unknownAgents: "404" } },
      refused: { says: "the platform refuses an agent that does not exist.", profile: { unknownAgents: "422" } },
    },
  },
};

// --- how to clear fields, derived from several answers

export type Way = "default" | ClearMode;

/**
 * For each value of `clearWith`, names the two questions that show whether it clears the inbound agents and the
 * outbound agent. `default` means that `clearWith` isn't set.
 */
const WAYS: readonly (readonly [Way, inbound: string, outbound: string])[] = [
  ["default", "inboundEmpty", "outboundNull"],
  ["null", "inboundNull", "outboundNull"],
  ["empty", "inboundEmpty", "outboundEmpty"],
  ["omit", "inboundOmitted", "outboundOmitted"],
];

/**
 * The first way to clear fields that works for both the inbound agents and the outbound agent, as far as the responses
 * show. Undefined if there is none.
 */
export const wayToClear = (answers: Answers): Way | undefined =>
  WAYS.find(([, inbound, outbound]) => isGone(answers[inbound]) && isGone(answers[outbound]))?.[0];

/** Returns the ways to clear a field, except those that the platform has refused. Ways that have worked come first. */
export const formsFor = (field: ClearedField, answers: Answers): ClearMode[] =>
  Object.entries(QUESTIONS)
    .filter(([name, { clears }]) => clears?.field === field && answers[name] !== "refused")
    .sort(([left], [right]) => Number(isGone(answers[right])) - Number(isGone(answers[left])))
    .flatMap(([, { clears }]) => clears?.form ?? []);

/** Returns the switches that make the emulator clear fields in the same ways as the platform. */
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

// --- manual checks in the platform's web application

export const MANUAL_CHECKS: readonly { readonly row: number; readonly look: (subject: Subject) => string }[] = [
  {
    row: 38,
    look: ({ number }) => `What do callers hear if a number has no agents? Call ${number} once its agents are gone.`,
  },
  {
    row: 35,
    look: () =>
      "Does a percentage split calls or callers? Ask the platform's vendor, or call a number with a 50% split ten times from one phone.",
  },
  { row: 36, look: () => "Does repeating a request reassign callers to different agents? Ask the platform's vendor." },
  {
    row: 37,
    look: () =>
      "What happens to a call in progress when its number's agents change? Stay on a call during a `pulumi up`.",
  },
  {
    row: 39,
    look: () => "Does time routing override the inbound agents? Call a number outside its hours.",
  },
];
