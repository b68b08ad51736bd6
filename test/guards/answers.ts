import type { Guard } from "./guard";

/** What the platform answers, and what a group makes of it. */
export const ANSWERS: readonly Guard[] = [
  {
    name: "The answer is compared with what was asked",
    file: "provider/resources/assign.ts",
    source: "return mismatches.length === 0\n",
    without: "return mismatches.length >= 0\n",
    spec: "test/resources/messages.spec.ts",
    title: "a number whose answer differs reads AGP-050",
  },
  {
    name: "An answer that differs is asked for again before it counts",
    file: "provider/resources/assign.ts",
    source: "const STALE_WAITS_MS = [500, 1500];",
    without: "const STALE_WAITS_MS: number[] = [];",
    spec: "test/faults/wire.spec.ts",
    title: "on the wire an answer that is stale for a moment is asked for again, and one that stays so is told",
  },
  {
    name: "A first number that is in the wrong place stops the group",
    file: "provider/resources/sendAll.ts",
    source: "if (isFirst && !isPlaced) { stop(run, fault.cause); }",
    without: "",
    spec: "test/resources/numberGroupFailures.spec.ts",
    title: "NumberGroup when numbers fail compares the first answer before the rest is sent",
  },
  {
    name: "The first number of a group goes alone",
    file: "provider/resources/sendAll.ts",
    source: "const begun = await sendFirst(numbers.slice(0, tries), first, run);",
    without: "const begun = 0;",
    spec: "test/resources/numberGroupFailures.spec.ts",
    title: "NumberGroup when numbers fail stops at the first 401: 0 of 40 applied, one request, nothing saved",
  },
  {
    name: "A 401 stops a group at once",
    file: "provider/resources/sendAll.ts",
    source: "if (failure !== undefined && OF_ALL.has(failure.cause)) { stop(run, cause); }",
    without: "",
    spec: "test/resources/numberGroupFailures.spec.ts",
    title: "NumberGroup when numbers fail stops at the first 401: 0 of 40 applied, one request, nothing saved",
  },
  {
    name: "A platform that fell silent stops a group",
    file: "provider/resources/sendAll.ts",
    source: "if (run.silent >= Math.max(LEAST_SILENT, session.settings.concurrency))",
    without: "if (run.silent < 0)",
    spec: "test/resources/numberGroupFailures.spec.ts",
    title: "NumberGroup when numbers fail stops where the platform falls silent, and not where single numbers fail",
  },
  {
    name: "What is still bound after one way of clearing is cleared by the next",
    file: "provider/resources/assign.ts",
    source:
      'if (assigned.result === "different") { return stillBound(assigned.verdict, cleared.bindings).length > 0 ? "left" : undefined; }',
    without: 'if (assigned.result === "different") { return undefined; }',
    spec: "test/resources/assignment.spec.ts",
    title: "one number at the platform is cleared where empty clears and unset fields are absent",
  },
  {
    name: "A refusal after an earlier way of clearing was accepted is no word that all is as before",
    file: "provider/resources/assign.ts",
    source: "return earlier.left !== undefined || earlier.unseen !== undefined ? inDoubt(assigned) : assigned;",
    without: "return assigned;",
    spec: "test/faults/clearing.spec.ts",
    title:
      "a refusal after an earlier way of clearing was accepted does not say that the number keeps its routing, for the first PUT was applied",
  },
  {
    name: "No message shows a secret value that a response differs in",
    file: "provider/resources/assign.ts",
    source: "const mismatches = messages.withoutSecrets(seen.mismatches, session.memory.secretArguments.get(number));",
    without: "const { mismatches } = seen;",
    spec: "test/resources/messages.spec.ts",
    title:
      "a number whose answer differs names no value that is, or was, secret: not where something stays bound, and not in a warning",
  },
  {
    name: "An unverified answer is told once a run",
    file: "provider/resources/assign.ts",
    source: `  if (session.memory.unverifiedTold) { return; }\n`,
    without: "",
    spec: "test/resources/messages.spec.ts",
    title: "a number whose answer differs warns AGP-053 once a run, and AGP-054 with the paths",
  },
  {
    name: "A warning is told once a run",
    file: "provider/edge/session.ts",
    source: `      if (said.has(text)) { return; }\n`,
    without: "",
    spec: "test/edge/session.spec.ts",
    title: "a warning is told once a run",
  },
];
