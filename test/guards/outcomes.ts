import type { Guard } from "./guard";

/** Outcomes that nobody knows, and what they must not lead to. */
export const OUTCOMES: readonly Guard[] = [
  {
    name: "What may exist is saved although the create failed",
    file: "provider/pulumi/dynamicHandler.ts",
    source: "if (!(error instanceof SavedError)) { throw error; }",
    without: "throw error;",
    spec: "test/resources/numberGroupFailures.spec.ts",
    title:
      "NumberGroup when numbers fail saves what was applied, names the rest by cause, and sends only that in the next run",
  },
  {
    name: "The provider's text is saved with it, so that it can be deleted",
    file: "provider/pulumi/dynamicHandler.ts",
    source: "const properties = { ...error.state, __provider: inputs.__provider };",
    without: "const properties = { ...error.state };",
    spec: "test/faults/unresolved.spec.ts",
    title: "an unknown outcome reaches the engine with the provider's text, without which it could never be deleted",
  },
  {
    name: "A number of unknown outcome is marked, and sent again by the next run",
    file: "provider/core/plan.ts",
    source: "  olds.unapplied !== undefined ||\n",
    without: "",
    spec: "test/resources/numberAssignmentDiff.spec.ts",
    title: "NumberAssignment.diff unapplied -> the same inputs: update, and why is said",
  },
  {
    name: "A number whose answer differed is marked",
    file: "provider/resources/numberAssignment.ts",
    source: "const state = { ...wanted, unapplied: unappliedAfter(task, before, notApplied) };",
    without:
      'const unapplied = notApplied.reason === "different" ? undefined : unappliedAfter(task, before, notApplied);\n  const state = { ...wanted, unapplied };',
    spec: "test/faults/unresolved.spec.ts",
    title:
      "an unknown outcome of a number is saved as such, and so is an answer that differs: the same program sends it again",
  },
  {
    name: "A voice of unknown outcome is saved as unresolved, never posted again by itself",
    file: "provider/resources/posted.ts",
    source: "{ ...inputs, ...endpoint, unresolved: true }",
    without: "{ ...inputs, ...endpoint }",
    spec: "test/faults/unresolved.spec.ts",
    title:
      "an unknown outcome of a voice is saved, and neither an update, nor a delete, nor an adoption sends anything",
  },
  {
    name: "An unresolved voice is not replaced by an edit",
    file: "provider/core/plan.ts",
    source: "  if (olds.unresolved) { return planUnresolved(id, news); }\n",
    without: "",
    spec: "test/resources/posts.spec.ts",
    title: "CommunityVoice.diff unresolved -> the same: update",
  },
  {
    name: "An unresolved chat is not replaced by an edit",
    file: "provider/core/plan.ts",
    source: "  if (olds.unresolved) { return planUnresolved(id, news); }\n",
    without: "",
    spec: "test/resources/posts.spec.ts",
    title: "SmsChat.diff unresolved -> another recipient: no replacement: update",
  },
  {
    name: "`retryUnresolved` allows the retry of its own id alone",
    file: "provider/core/plan.ts",
    source: 'return retryUnresolved === id ? "retryUnresolved" : undefined;',
    without: 'return retryUnresolved === undefined ? undefined : "retryUnresolved";',
    spec: "test/resources/posts.spec.ts",
    title: "CommunityVoice.diff unresolved -> retryUnresolved of another id: update",
  },
  {
    name: "An `adopt` that is not known yet settles nothing",
    file: "provider/core/plan.ts",
    source: 'if (adopt !== undefined && !isUnknown(adopt)) { return "adopt"; }',
    without: 'if (adopt !== undefined) { return "adopt"; }',
    spec: "test/resources/posts.spec.ts",
    title: "CommunityVoice.diff unresolved -> adopt unknown: update",
  },
  {
    name: "`adopt` and `retryUnresolved` at once are refused",
    file: "provider/resources/posted.ts",
    source: "    failures.push(messages.twoAnswers());\n",
    without: "",
    spec: "test/resources/messages.spec.ts",
    title: "a POST of which nobody knows is refused with two answers at once: AGP-005",
  },
  {
    name: "A replacement never adopts what it replaces",
    file: "provider/resources/posted.ts",
    source: "if (news.adopt === id && changed.length > 0) { throw",
    without: "if (news.adopt === id && changed.length > 99) { throw",
    spec: "test/resources/posts.spec.ts",
    title: "adopt that stays in the program is no way to replace a voice by itself",
  },
  {
    name: "`adopt` sends nothing: a voice",
    file: "provider/resources/posted.ts",
    source:
      "if (adopt !== undefined) { return { id: adopt, state: { ...inputs, [it.idName]: adopt, ...endpoint } as State }; }",
    without: "",
    spec: "test/faults/unresolved.spec.ts",
    title:
      "an unknown outcome of a voice is saved, and neither an update, nor a delete, nor an adoption sends anything",
  },
  {
    name: "A process ends with its engine",
    file: "provider/pulumi/dynamicHandler.ts",
    source: "      endWithEngine(engineAddress);\n",
    without: "",
    spec: "test/faults/engineGone.spec.ts",
    title: "a provider process whose engine is gone ends, and sends no further number",
  },
  {
    name: "A process outlives those who read its output",
    file: "provider/edge/session.ts",
    source: "  outliveReaders();\n",
    without: "",
    spec: "test/edge/session.spec.ts",
    title: "an engine that reads no more is no error that nobody hears",
  },
  {
    name: "A chat that another resource adopts is not ended",
    file: "provider/resources/smsChat.ts",
    source:
      "if (where !== undefined || session.memory.keptPosts.has(id)) { return session.warn(messages.adoptedElsewhere(label, id)); }",
    without: "",
    spec: "test/resources/posts.spec.ts",
    title:
      "adopt that stays in the program keeps a chat that a new name adopts: no delete of the old name ends it, in a later run neither",
  },
  {
    name: "The delete of an unresolved chat sends nothing",
    file: "provider/resources/posted.ts",
    source: "if (!state.unresolved) { await it.remove(id, state, session); } else if",
    without: "await it.remove(id, state, session); if",
    spec: "test/faults/unresolved.spec.ts",
    title: "an unknown outcome of a chat is saved, and neither an update, nor a delete, nor an adoption sends anything",
  },
  {
    name: "A chat is not posted again by an update",
    file: "provider/resources/posted.ts",
    source: "  if (!olds.unresolved) {\n    const fields =",
    without: "  if (!olds.unresolved) {\n    await it.post(session.client(), news);\n    const fields =",
    spec: "test/faults/unresolved.spec.ts",
    title: "an unknown outcome leaves a chat alone that is known: an update is recorded and never sent",
  },
];
